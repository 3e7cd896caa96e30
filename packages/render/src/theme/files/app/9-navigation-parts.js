/*
 * A very large sidebar, filled from parts when a reader opens groups and lists. A fillable element carries the
 * number of its unit and, for a slice, the first piece and the end.
 */
(function () {
  'use strict';
  var all = docyard.all;
  var tree = document.querySelector('[data-nav-parts]');
  if (!tree) return;
  var address = docyard.navigation.address;
  var facts = tree.getAttribute('data-nav-parts').split(' ');
  var script = facts[0];
  var starts = facts.slice(2).map(Number);
  var units = {};
  var own = tree.querySelector('[aria-current="page"]');
  var current = own && address(own);

  docyard.takeNavigation = function (navigation, first, list) {
    /* After a new release, unit numbers may differ from those of this page. */
    if (navigation !== facts[1]) return;
    list.forEach(function (unit, at) {
      units[first + at] = unit;
    });
  };

  /* Loads the pieces of an element once; on failure it follows the element's link. */
  function ask(item, use) {
    var asked = item.getAttribute('data-nav').split(' ').map(Number);
    var answer = function () {
      if (!item.hasAttribute('data-nav')) return;
      var unit = units[asked[0]];
      if (!unit) return location.assign(item.getAttribute('data-first') || item.querySelector('a').href);
      item.removeAttribute('data-nav');
      use(unit.slice(asked[1], asked[2]));
    };
    if (units[asked[0]]) return answer();
    var part = starts.length - 1;
    while (starts[part] > asked[0]) part--;
    docyard.load(script + '-' + part + '.js', answer, answer);
  }

  function nodesOf(html) {
    var template = document.createElement('template');
    template.innerHTML = docyard.navigation.asSeenHere(html, script);
    all('a', template.content).forEach(function (link) {
      if (address(link) === current) docyard.navigation.mark(link);
    });
    all('.dy-nav-closed[data-nav]', template.content).forEach(foldable);
    all('.dy-nav-expanded > details', template.content).forEach(function (fold) {
      fold.open = true;
    });
    return template.content;
  }

  /* A link to a group's first page becomes a foldable group; a link to a group's own page gets a button. */
  function foldable(item) {
    var label = item.querySelector('.dy-nav-label');
    var fold = document.createElement('details');
    var button = document.createElement('summary');
    item.classList.replace('dy-nav-closed', 'dy-nav-fold');
    fold.append(button);
    if (item.classList.contains('dy-nav-linked')) button.setAttribute('aria-label', label.textContent);
    else {
      var name = document.createElement('span');
      name.className = 'dy-nav-label';
      name.append.apply(name, label.childNodes);
      item.setAttribute('data-first', label.getAttribute('href'));
      label.replaceWith(name);
      button.append(item.firstElementChild);
    }
    item.append(fold);
  }

  function fill(fold) {
    var item = fold.parentElement;
    if (!fold.open || !item.hasAttribute('data-nav')) return;
    ask(item, function (pieces) {
      var list = item.tagName === 'SECTION' ? '<ul class="sidebar-group">' : '<ul>';
      fold.append(nodesOf(list + pieces.join('') + '</ul>'));
    });
  }

  /* Inserts more of a long list. The scroll position stays; the focus moves to the new entries. */
  function goOn(rest) {
    var isBefore = rest.getAttribute('data-nav').split(' ').length > 2;
    ask(rest, function (pieces) {
      var list = rest.parentElement;
      var isTop = list.parentElement === tree;
      var nodes = nodesOf(isTop ? inLists(pieces) : pieces.join(''));
      var targets = all('a, summary', nodes);
      var hadFocus = rest.contains(document.activeElement);
      var next = rest.nextElementSibling || list.nextElementSibling;
      var place = isBefore && next && next.getBoundingClientRect().top;
      if (isTop) list[isBefore ? 'before' : 'after'](nodes);
      else rest.before(nodes);
      rest.remove();
      if (!list.firstElementChild) list.remove();
      if (isBefore && next) tree.closest('nav').scrollTop += next.getBoundingClientRect().top - place;
      if (hadFocus) targets[isBefore ? targets.length - 1 : 0].focus({ preventScroll: true });
    });
  }

  /* At the top level, sections alternate with lists. */
  function inLists(pieces) {
    var html = pieces.map(function (piece) {
      return piece.slice(0, 3) === '<li' ? '<ul>' + piece + '</ul>' : piece;
    });
    return html.join('').split('</ul><ul>').join('');
  }

  all('.dy-nav-closed[data-nav]', tree).forEach(foldable);
  /* The toggle event does not bubble. */
  tree.addEventListener(
    'toggle',
    function (event) {
      fill(event.target);
    },
    true,
  );
  tree.addEventListener('click', function (event) {
    var rest = event.target.closest('.dy-nav-rest[data-nav]');
    if (!rest || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    goOn(rest);
  });
})();
