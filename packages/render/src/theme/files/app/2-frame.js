/* The frame: appearance, drawer, menus, table of contents, banner. */
(function () {
  'use strict';
  var all = docyard.all;
  var remember = docyard.remember;
  var recall = docyard.recall;
  var root = document.documentElement;

  function themeToggle() {
    all('[data-theme-toggle]').forEach(function (button) {
      button.addEventListener('click', function () {
        var isDark = root.classList.contains('dark');
        root.setAttribute('data-theme', isDark ? 'light' : 'dark');
        remember('theme', isDark ? 'light' : 'dark');
      });
    });
  }

  /* On small screens the sidebar is a modal drawer. */
  function drawer() {
    var button = document.querySelector('[data-menu-toggle]');
    var sidebar = document.querySelector('.dy-site-sidebar');
    if (!button) return;
    if (!sidebar) {
      button.hidden = true;
      return;
    }
    var shade = document.createElement('div');
    shade.className = 'dy-drawer-shade';
    sidebar.after(shade);
    var close = drawerHead(sidebar, button.getAttribute('data-menu-toggle'));
    var others = all(
      'main, .dy-site-navbar, .dy-site-contents, .dy-site-footer, .dy-site-banner, .dy-skip-link',
    );
    var set = function (open) {
      if (open === root.classList.contains('dy-menu-open')) return;
      root.classList.toggle('dy-menu-open', open);
      button.setAttribute('aria-expanded', String(open));
      others.forEach(function (part) {
        part.inert = open;
      });
      if (open) showCurrentEntry();
      (open ? close : button).focus({ preventScroll: true });
    };
    button.addEventListener('click', function () {
      set(true);
    });
    [close, shade].forEach(function (part) {
      part.addEventListener('click', function () {
        set(false);
      });
    });
    document.addEventListener('keydown', function (event) {
      if (event.key === 'Escape' && !sidebar.querySelector('[data-menu][open]')) set(false);
    });
    sidebar.addEventListener('click', function (event) {
      if (!event.defaultPrevented && event.target.closest('a')) set(false);
    });
    matchMedia('(min-width: 861px)').addEventListener('change', function () {
      set(false);
    });
  }

  /* The drawer covers the header, so it repeats the name of the site and the tabs. Returns the button that closes it. */
  function drawerHead(sidebar, label) {
    var head = document.createElement('div');
    head.className = 'dy-drawer-head';
    var brand = document.querySelector('.dy-brand > a');
    if (brand) head.append(brand.cloneNode(true));
    var close = document.createElement('button');
    close.type = 'button';
    close.className = 'dy-icon-button';
    close.setAttribute('aria-label', label);
    close.innerHTML = docyard.icon('<path d="m6 6 12 12M18 6 6 18"/>');
    head.append(close);
    sidebar.prepend(head);
    var tabs = all('.dy-tab-row a');
    var current = document.querySelector('.dy-tab-row a[aria-current]') || tabs[0];
    if (!current) return close;
    var menu = document.createElement('details');
    menu.className = 'dy-menu dy-drawer-tabs';
    menu.setAttribute('data-menu', '');
    var summary = document.createElement('summary');
    summary.innerHTML = current.innerHTML + docyard.icon('<path d="m6 9 6 6 6-6"/>');
    var list = document.createElement('ul');
    tabs.forEach(function (tab) {
      var link = tab.cloneNode(true);
      link.removeAttribute('class');
      list.appendChild(document.createElement('li')).append(link);
    });
    var items = document.createElement('div');
    items.className = 'dy-menu-items';
    items.append(list);
    menu.append(summary, items);
    head.after(menu);
    return close;
  }

  function menus() {
    var open = function () {
      return all('[data-menu][open]');
    };
    document.addEventListener('click', function (event) {
      open().forEach(function (menu) {
        if (!menu.contains(event.target)) menu.removeAttribute('open');
      });
    });
    document.addEventListener('keydown', function (event) {
      if (event.key === 'Escape')
        open().forEach(function (menu) {
          menu.removeAttribute('open');
          menu.querySelector('summary').focus();
        });
    });
    all('[data-menu]').forEach(function (menu) {
      var filter = menu.querySelector('[data-menu-filter]');
      var items = all('.dy-menu-items li', menu);
      menu.addEventListener('toggle', function () {
        if (!menu.open) return;
        if (filter) filter.focus();
        var box = menu.querySelector('.dy-menu-items');
        box.classList.remove('dy-at-end');
        var rect = box.getBoundingClientRect();
        box.classList.toggle('dy-at-end', rect.right > innerWidth - 8 || rect.left < 8);
      });
      menu.addEventListener('keydown', function (event) {
        var step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        menu.open = true;
        var targets = all('a, button', menu).filter(function (target) {
          return target.offsetParent;
        });
        var next = targets.indexOf(document.activeElement) + step;
        (targets[next] || targets[step > 0 ? 0 : targets.length - 1]).focus();
      });
      if (filter)
        filter.addEventListener('input', function () {
          var wanted = filter.value.trim().toLowerCase();
          items.forEach(function (item) {
            item.hidden = item.textContent.toLowerCase().indexOf(wanted) < 0;
          });
        });
    });
  }

  function contentsMark() {
    var links = all('.dy-site-contents nav a');
    if (!links.length) return;
    var byId = {};
    links.forEach(function (link) {
      byId[docyard.idIn(link.hash)] = link;
    });
    var headings = Object.keys(byId)
      .map(function (id) {
        return document.getElementById(id);
      })
      .filter(Boolean);
    var box = document.querySelector('.dy-site-contents');
    var update = function () {
      var current = headings[0];
      headings.forEach(function (heading) {
        if (heading.getClientRects().length && heading.getBoundingClientRect().top < 160) current = heading;
      });
      links.forEach(function (link) {
        if (current && byId[current.id] === link) {
          if (link.hasAttribute('aria-current')) return;
          link.setAttribute('aria-current', 'true');
          link.parentElement.setAttribute('data-active', 'true');
          if (link.offsetTop < box.scrollTop || link.offsetTop > box.scrollTop + box.clientHeight - 60)
            box.scrollTop = link.offsetTop - box.clientHeight / 2;
        } else {
          link.removeAttribute('aria-current');
          link.parentElement.removeAttribute('data-active');
        }
      });
    };
    var waiting = false;
    addEventListener(
      'scroll',
      function () {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(function () {
          waiting = false;
          update();
        });
      },
      { passive: true },
    );
    update();
  }

  /* On narrow screens the table of contents is collapsed above the content. */
  function contentsAbove() {
    var list = document.querySelector('.dy-site-contents nav ul');
    var content = document.querySelector('.dy-content');
    if (!list || list.children.length < 3) return;
    var fold = document.createElement('details');
    fold.className = 'dy-contents-fold';
    var title = document.createElement('summary');
    title.textContent = document.querySelector('.dy-contents-title').textContent;
    var copy = list.cloneNode(true);
    copy.removeAttribute('id');
    fold.append(title, copy);
    fold.addEventListener('click', function (event) {
      if (event.target.closest('a')) fold.open = false;
    });
    content.before(fold);
  }

  function showCurrentEntry() {
    var sidebar = document.querySelector('.dy-site-sidebar');
    var current = sidebar && sidebar.querySelector('[aria-current="page"]');
    if (!current) return;
    var offset = current.getBoundingClientRect().top - sidebar.getBoundingClientRect().top;
    if (offset > sidebar.clientHeight * 0.8) sidebar.scrollTop += offset - sidebar.clientHeight / 3;
  }

  function showCurrentTab() {
    var row = document.querySelector('.dy-tab-bar');
    var current = row && row.querySelector('[aria-current]');
    if (!current) return;
    var tab = current.getBoundingClientRect();
    var box = row.getBoundingClientRect();
    if (tab.left < box.left || tab.right > box.right)
      row.scrollLeft += (tab.left + tab.right - box.left - box.right) / 2;
  }

  function banner() {
    var box = document.querySelector('.dy-site-banner');
    var button = box && box.querySelector('[data-banner-close]');
    if (!button) return;
    var text = box.textContent.trim();
    if (recall('banner') === text) box.hidden = true;
    button.addEventListener('click', function () {
      box.hidden = true;
      remember('banner', text);
    });
  }

  docyard.showCurrentEntry = showCurrentEntry;
  themeToggle();
  drawer();
  menus();
  contentsAbove();
  contentsMark();
  showCurrentEntry();
  showCurrentTab();
  banner();
})();
