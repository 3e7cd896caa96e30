/* The frame: colours, menus, the mark in the table of contents, the banner. */
(function () {
  'use strict';
  var all = docyard.all;
  var remember = docyard.remember;
  var recall = docyard.recall;
  var root = document.documentElement;

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
  contentsMark();
  showCurrentEntry();
  banner();
})();
