/* Loads the search script and index on first use. */
(function () {
  'use strict';
  var buttons = docyard.all('[data-search]');
  if (!buttons.length) return;
  var loading;
  var script = document.currentScript || document.querySelector('script[src$="_docyard/app.js"]');
  docyard.root = script.src.replace(/_docyard\/app\.js(?:\?[^?]*)?$/, '');

  function load() {
    loading =
      loading ||
      new Promise(function (resolve, reject) {
        var part = document.createElement('script');
        part.src = docyard.root + '_docyard/search.js';
        part.addEventListener('load', resolve);
        part.addEventListener('error', function () {
          loading = undefined;
          reject();
        });
        document.head.appendChild(part);
      });
    return loading;
  }

  function open() {
    load().then(
      function () {
        docyardSearch.open(buttons[0]);
      },
      function () {
        /* Without the script there is no search. */
      },
    );
  }

  var apple = /Mac|iPhone|iPad/.test(navigator.platform);
  buttons.forEach(function (button) {
    if (apple) button.querySelector('kbd').textContent = '⌘K';
    button.addEventListener('click', open);
  });
  document.addEventListener('keydown', function (event) {
    var typing = event.target.closest && event.target.closest('input, textarea, select, [contenteditable]');
    var command = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k';
    var slash = event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!command && !slash) return;
    event.preventDefault();
    open();
  });
})();
