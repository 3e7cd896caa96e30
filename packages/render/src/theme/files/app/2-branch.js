/* Shows the branch of the navigation that the reader has chosen. Runs before the other parts. */
(function () {
  'use strict';
  var all = docyard.all;
  var root = document.documentElement;
  var chosen = window.docyardNavigation;

  docyard.navigation = {
    /* After replacement, an address at the root starts with a dot. */
    address: function (link) {
      return (link.getAttribute('href') || '').replace(/^\.\/(?=.)/, '');
    },
    /* Marks the link to the current page, its entry and its section. */
    mark: function (link) {
      link.setAttribute('aria-current', 'page');
      if (!link.matches('.dy-nav-label')) link.closest('li').setAttribute('data-active', 'true');
      var section = link.closest('.dy-nav-group');
      var list = section && !link.closest('h2') && section.querySelector('ul');
      if (list) list.setAttribute('data-active', 'true');
    },
    /* Rewrites addresses of a branch script relative to this page. */
    asSeenHere: function (html, script) {
      return html.split('="~/').join('="' + (script.slice(0, script.indexOf('_docyard/')) || './'));
    },
  };

  function plain(href) {
    return href.split('?')[0];
  }

  /* Other versions and languages link to this page where they contain it, else to the page's own targets. */
  function switches(parts, own, before) {
    all('a[data-division]', parts).forEach(function (link) {
      var division = link.getAttribute('data-division');
      var within = chosen.names.filter(function (name) {
        return name === division || name.indexOf(division + '_') === 0;
      });
      var nearest = own && chosen.nearest(within, chosen.shown);
      var known = before[division];
      if (nearest) link.setAttribute('href', plain(own) + '?nav=' + nearest);
      else if (known) link.setAttribute('href', known);
      if (nearest || known) link.removeAttribute('data-nav-href');
    });
  }

  function markCurrent(sidebar, own) {
    all('a', sidebar).forEach(function (link) {
      if (plain(docyard.navigation.address(link)) !== own) return;
      if (link.closest('.dy-menu, .dy-nav-anchors, .dy-drawer-links')) return;
      docyard.navigation.mark(link);
      for (var node = link.parentElement; node !== sidebar; node = node.parentElement)
        if (node.tagName === 'DETAILS') node.open = true;
    });
  }

  function neighbours(branch, at, address) {
    var link = function (page, template) {
      if (!page) return '';
      return template.split('~href~').join(address(page[1])).split('~title~').join(page[2]);
    };
    var links =
      link(branch.pages[at - 1], branch.pagination[1]) + link(branch.pages[at + 1], branch.pagination[2]);
    return links && branch.pagination[0] + links + '</nav>';
  }

  function page(branch, at, here, address) {
    var main = document.querySelector('main');
    var header = main.querySelector('.dy-page-header');
    var row = branch.pages[at];
    all('.dy-page-header > .dy-eyebrow, main > .dy-site-pagination, main > .dy-directory').forEach(
      function (part) {
        part.remove();
      },
    );
    if (!row || !header) return;
    header.insertAdjacentHTML('afterbegin', here(branch.trails[row[3]] || ''));
    main.querySelector('.dy-content').insertAdjacentHTML('afterend', here(branch.directories[row[0]] || ''));
    if (!row[4]) main.insertAdjacentHTML('beforeend', neighbours(branch, at, address));
  }

  function replaced(selector, html) {
    var old = document.querySelector(selector);
    if (!old || !html) return;
    var hadId = old.id;
    old.outerHTML = html;
    if (!hadId) document.querySelector(selector).removeAttribute('id');
  }

  /* A language may override or remove the banner. */
  function banner(branch) {
    var own = all('template[data-banner]').filter(function (template) {
      return template.getAttribute('data-banner') === branch.language;
    })[0];
    if (!own) return;
    all('.dy-site-banner').forEach(function (part) {
      part.remove();
    });
    var box = own.content.firstElementChild;
    if (!box) return;
    if (!document.getElementById('banner')) box.id = 'banner';
    box.lang = branch.language;
    box.dir = branch.direction;
    own.before(box);
  }

  function show(branch) {
    var script = document.querySelector('script[src*="_docyard/theme.js"]').getAttribute('src');
    var here = function (html) {
      return docyard.navigation.asSeenHere(html, script);
    };
    var address = function (href) {
      return here('="' + href).slice(2);
    };
    var at = branch.pages.findIndex(function (row) {
      return '/' + row[0].replace(/(^|\/)index$/, '') === root.getAttribute('data-current-path');
    });
    var own = at < 0 ? '' : address(branch.pages[at][1]);
    var before = {};
    all('a[data-division]').forEach(function (link) {
      before[link.getAttribute('data-division')] =
        link.getAttribute('data-nav-href') || link.getAttribute('href');
    });
    var sidebar = document.querySelector('.dy-site-sidebar');
    replaced('.dy-site-navbar', here(branch.header));
    replaced('.dy-site-footer', here(branch.footer));
    banner(branch);
    if (sidebar) {
      sidebar.querySelector('.dy-sidebar-content').innerHTML = here(branch.sidebar);
      if (own) markCurrent(sidebar, plain(own).replace(/^\.\/(?=.)/, ''));
    }
    switches(document.body, own, before);
    page(branch, at, here, address);
    /* The content keeps its language. */
    if (branch.language)
      all('.dy-site-navbar, .dy-site-sidebar, .dy-site-footer, .dy-site-pagination').forEach(function (part) {
        part.lang = branch.language;
        part.dir = branch.direction;
      });
  }

  if (chosen && chosen.branch) show(chosen.branch);
  /* Without JavaScript these link to pages whose home is the branch. */
  all('a[data-nav-href]').forEach(function (link) {
    link.setAttribute('href', link.getAttribute('data-nav-href'));
  });
  root.classList.remove('branch-pending');
})();
