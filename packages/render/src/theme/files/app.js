/* Everything a page does beyond being read. Each part leaves a page without it complete. */
(function () {
  'use strict';
  var root = document.documentElement;
  var all = function (selector, from) {
    return Array.prototype.slice.call((from || document).querySelectorAll(selector));
  };

  function remember(key, value) {
    try {
      localStorage.setItem('docyard-' + key, value);
    } catch {
      /* Storage may be switched off; the choice then lasts for this page. */
    }
  }

  function recall(key) {
    try {
      return localStorage.getItem('docyard-' + key);
    } catch {
      return null;
    }
  }

  function themeToggle() {
    all('[data-theme-toggle]').forEach(function (button) {
      button.addEventListener('click', function () {
        var current = root.getAttribute('data-theme');
        var isDark = current ? current === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
        root.setAttribute('data-theme', isDark ? 'light' : 'dark');
        remember('theme', isDark ? 'light' : 'dark');
      });
    });
  }

  function mobileMenu() {
    var button = document.querySelector('[data-menu-toggle]');
    var sidebar = document.querySelector('.site-sidebar');
    if (!button) return;
    if (!sidebar) {
      button.hidden = true;
      return;
    }
    var set = function (open) {
      root.classList.toggle('menu-open', open);
      button.setAttribute('aria-expanded', String(open));
    };
    button.addEventListener('click', function () {
      set(!root.classList.contains('menu-open'));
    });
    document.addEventListener('keydown', function (event) {
      if (event.key === 'Escape' && root.classList.contains('menu-open')) {
        set(false);
        button.focus();
      }
    });
    sidebar.addEventListener('click', function (event) {
      if (event.target.closest('a')) set(false);
    });
  }

  function menus() {
    document.addEventListener('click', function (event) {
      all('[data-menu][open]').forEach(function (menu) {
        if (!menu.contains(event.target)) menu.removeAttribute('open');
      });
    });
    document.addEventListener('keydown', function (event) {
      if (event.key !== 'Escape') return;
      all('[data-menu][open]').forEach(function (menu) {
        menu.removeAttribute('open');
        menu.querySelector('summary').focus();
      });
    });
  }

  function panelsOf(group) {
    return all(':scope > .tab', group);
  }

  function buttonsOf(group) {
    return all(':scope > .tab-list > [role="tab"]', group);
  }

  function select(group, index) {
    buttonsOf(group).forEach(function (button, at) {
      button.setAttribute('aria-selected', String(at === index));
      button.tabIndex = at === index ? 0 : -1;
    });
    panelsOf(group).forEach(function (panel, at) {
      panel.toggleAttribute('data-active', at === index);
    });
  }

  function selectTitle(title, except) {
    all('[data-tabs][data-sync]').forEach(function (group) {
      if (group === except) return;
      var index = buttonsOf(group).findIndex(function (button) {
        return button.textContent.trim() === title;
      });
      if (index >= 0) select(group, index);
    });
  }

  function chooseTab(group, index) {
    var button = buttonsOf(group)[index];
    if (!button) return;
    var before = button.getBoundingClientRect().top;
    select(group, index);
    if (group.hasAttribute('data-sync')) {
      var title = button.textContent.trim();
      selectTitle(title, group);
      remember('tab', title);
      window.scrollBy(0, button.getBoundingClientRect().top - before);
    }
  }

  function tabs() {
    all('[data-tabs]').forEach(function (group) {
      var buttons = buttonsOf(group);
      panelsOf(group).forEach(function (panel, index) {
        panel.setAttribute('role', 'tabpanel');
        panel.removeAttribute('aria-label');
        if (buttons[index]) panel.setAttribute('aria-labelledby', buttons[index].id);
      });
      buttons.forEach(function (button, index) {
        button.addEventListener('click', function () {
          chooseTab(group, index);
        });
        button.addEventListener('keydown', function (event) {
          var step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
          if (!step) return;
          event.preventDefault();
          var next = (index + step + buttons.length) % buttons.length;
          chooseTab(group, next);
          buttons[next].focus();
        });
      });
    });
    var last = recall('tab');
    if (last) selectTitle(last, null);
  }

  function revealTarget() {
    var id = decodeURIComponent(location.hash.slice(1));
    var target = id && document.getElementById(id);
    if (!target) return;
    for (var node = target; node; node = node.parentElement) {
      if (node.tagName === 'DETAILS') node.open = true;
      if (node.classList.contains('tab') && node.parentElement.hasAttribute('data-tabs'))
        select(node.parentElement, panelsOf(node.parentElement).indexOf(node));
    }
    target.scrollIntoView();
  }

  function copyButtons() {
    if (!navigator.clipboard) return;
    all('.code:not([data-no-copy])').forEach(function (block) {
      var button = document.createElement('button');
      button.type = 'button';
      button.className = 'copy-button';
      button.textContent = 'Copy';
      button.addEventListener('click', function () {
        navigator.clipboard.writeText(block.querySelector('code').innerText).then(function () {
          button.textContent = 'Copied';
          setTimeout(function () {
            button.textContent = 'Copy';
          }, 1600);
        });
      });
      block.appendChild(button);
    });
  }

  function expandableCode() {
    all('.code-expandable').forEach(function (block) {
      var button = document.createElement('button');
      button.type = 'button';
      button.className = 'expand-button';
      button.textContent = 'Show all';
      button.addEventListener('click', function () {
        var open = block.classList.toggle('is-expanded');
        button.textContent = open ? 'Show less' : 'Show all';
      });
      block.appendChild(button);
    });
  }

  function contentsMark() {
    var links = all('.site-contents a');
    if (!links.length || !('IntersectionObserver' in window)) return;
    var byId = {};
    links.forEach(function (link) {
      byId[decodeURIComponent(link.hash.slice(1))] = link;
    });
    var headings = Object.keys(byId)
      .map(function (id) {
        return document.getElementById(id);
      })
      .filter(Boolean);
    var update = function () {
      var current = headings[0];
      headings.forEach(function (heading) {
        if (heading.getBoundingClientRect().top < 160) current = heading;
      });
      links.forEach(function (link) {
        if (current && byId[current.id] === link) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
      });
    };
    new IntersectionObserver(update, { rootMargin: '-150px 0px 0px 0px' }).observe(document.body);
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

  function showCurrentEntry() {
    var sidebar = document.querySelector('.site-sidebar');
    var current = sidebar && sidebar.querySelector('[aria-current="page"]');
    if (!current) return;
    var offset = current.getBoundingClientRect().top - sidebar.getBoundingClientRect().top;
    if (offset > sidebar.clientHeight * 0.8) sidebar.scrollTop = offset - sidebar.clientHeight / 3;
  }

  function banner() {
    var box = document.querySelector('.site-banner');
    var button = box && box.querySelector('[data-banner-close]');
    if (!button) return;
    var text = box.textContent.trim();
    if (recall('banner') === text) box.hidden = true;
    button.addEventListener('click', function () {
      box.hidden = true;
      remember('banner', text);
    });
  }

  themeToggle();
  mobileMenu();
  menus();
  tabs();
  copyButtons();
  expandableCode();
  contentsMark();
  showCurrentEntry();
  banner();
  revealTarget();
  addEventListener('hashchange', revealTarget);
})();
