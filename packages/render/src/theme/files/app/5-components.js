/* Interactive components: accordions, views, changelogs, images, tooltips, trees, copy buttons. */
(function () {
  'use strict';
  var all = docyard.all;

  function make(name, values, content) {
    var node = document.createElement(name);
    Object.keys(values).forEach(function (key) {
      node.setAttribute(key, values[key]);
    });
    if (content) node.textContent = content;
    return node;
  }

  /* The fragment names the open accordion and its ancestors, separated by colons. */
  function accordions() {
    var pathOf = function (box) {
      var ids = [];
      for (var node = box; node; node = node.parentElement.closest('.dy-accordion')) ids.unshift(node.id);
      return '#' + ids.map(encodeURIComponent).join(':');
    };
    var open = function () {
      var parts = location.hash.slice(1).split(':').map(docyard.idIn);
      if (parts.length < 2 || document.getElementById(parts.join(':'))) return;
      var boxes = parts.map(function (id) {
        return document.getElementById(id);
      });
      boxes.forEach(function (box) {
        if (box && box.tagName === 'DETAILS') box.open = true;
      });
      var last = boxes[boxes.length - 1];
      if (last) last.scrollIntoView();
    };
    docyard.forContent(function (root) {
      all('.dy-accordion[id] > summary', root).forEach(function (summary) {
        summary.addEventListener('click', function () {
          var box = summary.parentElement;
          if (!box.open) history.replaceState(null, '', pathOf(box));
          else if (location.hash === pathOf(box))
            history.replaceState(null, '', location.pathname + location.search);
        });
      });
    });
    open();
    addEventListener('hashchange', open);
  }

  /* The table of contents lists only visible headings. */
  function contentsFollow() {
    all('.dy-site-contents a[href^="#"]').forEach(function (link) {
      var target = document.getElementById(docyard.idIn(link.hash));
      if (target) link.parentElement.hidden = target.getClientRects().length === 0;
    });
  }

  function views() {
    var sections = all('[data-view]');
    if (!sections.length) return;
    var titles = sections
      .map(function (section) {
        return section.getAttribute('data-view');
      })
      .filter(function (title, index, list) {
        return list.indexOf(title) === index;
      });
    var last = docyard.recall('view');
    var show = function (wanted) {
      sections.forEach(function (section) {
        section.hidden = section.getAttribute('data-view') !== wanted;
      });
      contentsFollow();
    };
    var select = make('select', { class: 'dy-select multi-view-dropdown-trigger' });
    titles.forEach(function (title) {
      select.appendChild(make('option', { value: title, class: 'multi-view-dropdown-item' }, title));
    });
    var target = document.getElementById(docyard.idIn(location.hash));
    var linked = target && target.closest('[data-view]');
    if (linked) select.value = linked.getAttribute('data-view');
    else if (titles.indexOf(last) >= 0) select.value = last;
    select.addEventListener('change', function () {
      docyard.remember('view', select.value);
      show(select.value);
    });
    if (titles.length > 1) {
      var label = make('label', { class: 'dy-view-menu multi-view-dropdown' });
      docyard.giveId(label, 'multi-view-dropdown');
      label.appendChild(make('span', { class: 'dy-visually-hidden' }, 'Show content for'));
      label.appendChild(select);
      sections[0].parentNode.insertBefore(label, sections[0]);
      document.documentElement.classList.add('dy-has-views');
    }
    show(select.value);
    if (target) target.scrollIntoView();
  }

  function changelog() {
    var entries = all('.dy-update[data-tags]');
    var tagsOf = function (entry) {
      return JSON.parse(entry.getAttribute('data-tags'));
    };
    var tags = [];
    entries.forEach(function (entry) {
      tagsOf(entry).forEach(function (tag) {
        if (tags.indexOf(tag) < 0) tags.push(tag);
      });
    });
    var updates = all('.dy-update');
    if (!tags.length || updates.length < 2) return;
    var chosen = (new URLSearchParams(location.search).get('tags') || '').split(',').filter(function (tag) {
      return tags.indexOf(tag) >= 0;
    });
    var panel = make('div', {
      class: 'dy-update-filter',
      role: 'group',
      'aria-label': 'Show updates tagged',
    });
    var apply = function () {
      updates.forEach(function (entry) {
        var own = entry.hasAttribute('data-tags') ? tagsOf(entry) : [];
        entry.hidden = !chosen.every(function (tag) {
          return own.indexOf(tag) >= 0;
        });
      });
      all('button', panel).forEach(function (button) {
        button.setAttribute('aria-pressed', String(chosen.indexOf(button.textContent) >= 0));
      });
      contentsFollow();
    };
    tags.sort(function (a, b) {
      return a.localeCompare(b);
    });
    tags.forEach(function (tag) {
      var button = make('button', { type: 'button' }, tag);
      button.addEventListener('click', function () {
        var at = chosen.indexOf(tag);
        if (at >= 0) chosen.splice(at, 1);
        else chosen.push(tag);
        var query = chosen.length ? '?tags=' + chosen.map(encodeURIComponent).join(',') : location.pathname;
        history.replaceState(null, '', query + location.hash);
        apply();
      });
      panel.appendChild(button);
    });
    var filters = make('div', {});
    docyard.giveId(filters, 'changelog-filters');
    docyard.giveId(panel, 'changelog-filters-content');
    filters.appendChild(panel);
    updates[0].parentNode.insertBefore(filters, updates[0]);
    apply();
  }

  function codeMenus(root) {
    all('[data-dropdown]', root).forEach(function (group) {
      var list = group.querySelector('.dy-tab-list');
      var buttons = all('[role="tab"]', list);
      if (buttons.length < 2) return;
      var select = make('select', { class: 'dy-select dy-tab-select', 'aria-label': 'Language' });
      buttons.forEach(function (button, index) {
        select.appendChild(make('option', { value: index }, button.textContent));
      });
      var follow = function () {
        select.value = buttons.findIndex(function (button) {
          return button.getAttribute('aria-selected') === 'true';
        });
      };
      select.addEventListener('change', function () {
        buttons[select.value].click();
      });
      list.after(select);
      follow();
      docyard.onTab(follow);
    });
  }

  /* A click enlarges an image, unless it is small, a link, or excluded by the author. */
  function zoom() {
    var dialog = make('dialog', { class: 'dy-zoom', 'aria-label': 'Enlarged picture' });
    if (!dialog.showModal) return;
    var enlarge = function (image) {
      var copy = make('img', { src: image.currentSrc || image.src, alt: image.alt });
      var close = make('button', { type: 'button', class: 'dy-zoom-close', 'aria-label': 'Close' }, '×');
      dialog.replaceChildren(copy, close);
      if (!dialog.isConnected) document.body.appendChild(dialog);
      dialog.showModal();
    };
    dialog.addEventListener('click', function () {
      dialog.close();
    });
    all('.dy-content img').forEach(function (image) {
      if (
        image.closest('a, button, .dy-tile, .dy-card, [data-no-zoom]') ||
        image.classList.contains('dy-icon')
      )
        return;
      var ready = function () {
        if (image.clientWidth < 120 || image.naturalWidth < 160) return;
        image.classList.add('dy-is-zoomable');
        image.tabIndex = 0;
        image.setAttribute('role', 'button');
        if (!image.alt) image.alt = 'Picture';
        image.setAttribute('aria-label', 'Enlarge: ' + image.alt);
      };
      if (image.complete) ready();
      else image.addEventListener('load', ready);
      image.addEventListener('click', function () {
        if (image.tabIndex === 0) enlarge(image);
      });
      image.addEventListener('keydown', function (event) {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        enlarge(image);
      });
    });
  }

  function imageActions() {
    all('img[data-actions]').forEach(function (image) {
      var wanted = image.getAttribute('data-actions').split(',');
      var bar = make('span', {
        class: 'dy-image-actions dy-at-' + (image.getAttribute('data-actions-at') || 'bottom-center'),
      });
      if (wanted.indexOf('copy') >= 0 && navigator.clipboard && window.ClipboardItem) {
        var copy = make('button', { type: 'button' }, 'Copy');
        copy.addEventListener('click', function () {
          var canvas = make('canvas', { width: image.naturalWidth, height: image.naturalHeight });
          canvas.getContext('2d').drawImage(image, 0, 0);
          canvas.toBlob(function (blob) {
            void navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]).then(function () {
              told(copy, 'Copied');
            });
          });
        });
        bar.appendChild(copy);
      }
      if (wanted.indexOf('download') >= 0)
        bar.appendChild(make('a', { href: image.src, download: '' }, 'Download'));
      var box = make('span', { class: 'dy-image-box' });
      image.replaceWith(box);
      box.append(image, bar);
    });
  }

  function told(button, text) {
    var label = button.querySelector('span:not([class])') || button;
    var before = label.textContent;
    label.textContent = text;
    setTimeout(function () {
      label.textContent = before;
    }, 1600);
  }

  function copying(root) {
    all('button[data-copy]', root).forEach(function (button) {
      var dark = button.getAttribute('data-copy-dark');
      button.addEventListener('click', function () {
        var isDark = dark && document.documentElement.classList.contains('dark');
        if (!navigator.clipboard) return;
        void navigator.clipboard
          .writeText(isDark ? dark : button.getAttribute('data-copy'))
          .then(function () {
            if (button.classList.contains('dy-palette-item')) {
              button.classList.add('dy-is-copied');
              setTimeout(function () {
                button.classList.remove('dy-is-copied');
              }, 1200);
            } else told(button, 'Copied');
          });
      });
    });
  }

  /* Tooltips stay inside the window. Escape closes them without moving the focus. */
  function tooltips(root) {
    all('.dy-tooltip', root).forEach(function (box) {
      var tip = box.lastElementChild;
      var place = function () {
        box.classList.remove('dy-is-closed', 'dy-is-left', 'dy-is-below');
        var area = tip.getBoundingClientRect();
        if (area.right > document.documentElement.clientWidth - 8) box.classList.add('dy-is-left');
        if (area.top < 70) box.classList.add('dy-is-below');
      };
      box.addEventListener('mouseenter', place);
      box.addEventListener('focusin', place);
      box.addEventListener('click', function () {
        box.firstElementChild.focus();
      });
    });
  }

  function tooltipKeys() {
    document.addEventListener('keydown', function (event) {
      if (event.key !== 'Escape') return;
      all('.dy-tooltip:hover, .dy-tooltip:focus-within').forEach(function (box) {
        box.classList.add('dy-is-closed');
      });
    });
  }

  function trees(root) {
    all('.dy-tree', root).forEach(function (tree) {
      tree.addEventListener('keydown', function (event) {
        var summary = event.target.closest('summary');
        if (!summary) return;
        var folder = summary.parentElement;
        var shown = all('summary', tree).filter(function (item) {
          return item.getClientRects().length > 0;
        });
        var at = shown.indexOf(summary);
        if (event.key === 'ArrowDown' && shown[at + 1]) shown[at + 1].focus();
        else if (event.key === 'ArrowUp' && shown[at - 1]) shown[at - 1].focus();
        else if (event.key === 'ArrowRight') folder.open = true;
        else if (event.key === 'ArrowLeft' && folder.open) folder.open = false;
        else if (event.key === 'ArrowLeft' && folder.parentElement.closest('details'))
          folder.parentElement.closest('details').firstElementChild.focus();
        else return;
        event.preventDefault();
      });
    });
  }

  accordions();
  views();
  changelog();
  docyard.forContent(codeMenus);
  zoom();
  imageActions();
  docyard.forContent(copying);
  docyard.forContent(tooltips);
  docyard.forContent(trees);
  tooltipKeys();
  docyard.onTab(contentsFollow);
  contentsFollow();
})();
