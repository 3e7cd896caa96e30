/* Lazily loads the full sidebar of a large site and the script that copies a page. */
(function () {
  'use strict';
  var all = docyard.all;
  var load = docyard.load;

  function largeSidebar() {
    var tree = document.querySelector('.dy-nav-tree[data-nav]');
    if (!tree) return;
    var src = tree.getAttribute('data-nav');
    var plain = docyard.navigation.address;
    docyard.fillNavigation = function (html) {
      var sidebar = tree.closest('.dy-site-sidebar');
      var before = tree.querySelector('[aria-current="page"]');
      var href = before && plain(before);
      var top = before && before.getBoundingClientRect().top;
      var focused = tree.contains(document.activeElement) && plain(document.activeElement);
      tree.innerHTML = docyard.navigation.asSeenHere(html, src);
      all('a', tree).forEach(function (link) {
        var own = plain(link);
        if (focused && own === focused) link.focus({ preventScroll: true });
        if (!href || own !== href) return;
        docyard.navigation.mark(link);
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
