/* Code blocks: copy, show all. */
(function () {
  'use strict';
  var all = docyard.all;

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

  copyButtons();
  expandableCode();
})();
