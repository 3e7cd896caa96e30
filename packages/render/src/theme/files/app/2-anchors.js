/* Finds the heading for a fragment that differs from its id in case or punctuation. */
(function () {
  'use strict';

  function keyOf(text) {
    return text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}]/gu, '');
  }

  function settle() {
    var wanted = docyard.idIn(location.hash);
    var key = keyOf(wanted);
    if (!key || document.getElementById(wanted) || document.getElementById(wanted.split(':')[0])) return;
    var found = Array.prototype.filter.call(document.querySelectorAll('main [id]'), function (node) {
      return keyOf(node.id) === key;
    });
    if (found.length === 1) location.replace('#' + encodeURIComponent(found[0].id));
  }

  settle();
  addEventListener('hashchange', settle);
})();
