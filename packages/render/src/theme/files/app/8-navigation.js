/* The whole of a large sidebar, from a script its pages share, and the copy of a page; both loaded when needed. */
(function () {
  'use strict';
  var all = docyard.all;

  function load(src, then) {
    var script = document.createElement('script');
    script.src = src;
    if (then) script.addEventListener('load', then);
    document.head.appendChild(script);
  }

  /* Filled in, an address at the root begins with a dot. */
  function plain(link) {
    return (link.getAttribute('href') || '').replace(/^\.\/(?=.)/, '');
  }

  function largeSidebar() {
    var tree = document.querySelector('[data-nav]');
    if (!tree) return;
    var src = tree.getAttribute('data-nav');
    var prefix = src.slice(0, src.indexOf('_docyard/'));
    docyard.fillNavigation = function (html) {
      var sidebar = tree.closest('.site-sidebar');
      var before = tree.querySelector('[aria-current="page"]');
      var href = before && plain(before);
      var top = before && before.getBoundingClientRect().top;
      var focused = tree.contains(document.activeElement) && plain(document.activeElement);
      tree.innerHTML = html.split('="~/').join('="' + (prefix || './'));
      all('a', tree).forEach(function (link) {
        var own = plain(link);
        if (focused && own === focused) link.focus({ preventScroll: true });
        if (!href || own !== href) return;
        link.setAttribute('aria-current', 'page');
        for (var node = link.parentElement; node !== tree; node = node.parentElement)
          if (node.tagName === 'DETAILS') node.open = true;
      });
      var after = tree.querySelector('[aria-current="page"]');
      if (after && top !== null) sidebar.scrollTop += after.getBoundingClientRect().top - top;
    };
    (window.requestIdleCallback || setTimeout)(function () {
      load(src);
    });
  }

  function copyPage() {
    if (!navigator.clipboard) return;
    all('[data-copy-page]').forEach(function (button) {
      var label = button.querySelector('span');
      var word = label.textContent;
      var copy = function () {
        void navigator.clipboard.writeText(docyard.pageMarkdown()).then(function () {
          label.textContent = button.getAttribute('data-done');
          setTimeout(function () {
            label.textContent = word;
          }, 1600);
        });
      };
      button.addEventListener('click', function () {
        if (docyard.pageMarkdown) copy();
        else load(button.getAttribute('data-copy-page'), copy);
      });
    });
  }

  largeSidebar();
  copyPage();
})();
