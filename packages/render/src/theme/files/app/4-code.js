/* Code blocks: copying, expanding and keyboard scrolling. */
(function () {
  'use strict';
  var all = docyard.all;

  /* The copied text excludes prompts and removed lines. */
  function textOf(block) {
    var copy = block.querySelector('code').cloneNode(true);
    all('.dy-line-removed', copy).forEach(function (line) {
      var after = line.nextSibling;
      if (after && after.nodeType === 3) after.nodeValue = after.nodeValue.replace(/^\n/, '');
      line.remove();
    });
    all('.dy-code-prompt', copy).forEach(function (prompt) {
      prompt.remove();
    });
    return copy.textContent.replace(/\n$/, '');
  }

  function copyButtons(root) {
    if (!navigator.clipboard) return;
    all('.dy-code:not([data-no-copy])', root).forEach(function (block) {
      var button = document.createElement('button');
      button.type = 'button';
      button.className = 'dy-copy-button code-block-copy-button';
      button.textContent = 'Copy';
      button.addEventListener('click', function () {
        void navigator.clipboard.writeText(textOf(block)).then(function () {
          button.textContent = 'Copied';
          setTimeout(function () {
            button.textContent = 'Copy';
          }, 1600);
        });
      });
      block.appendChild(button);
    });
  }

  function expandableCode(root) {
    all('.dy-code-expandable', root).forEach(function (block) {
      var button = document.createElement('button');
      button.type = 'button';
      button.className = 'dy-expand-button';
      button.textContent = 'Show all';
      button.addEventListener('click', function () {
        var open = block.classList.toggle('dy-is-expanded');
        button.textContent = open ? 'Show less' : 'Show all';
      });
      block.appendChild(button);
    });
  }

  /* Without JavaScript every block is focusable; with it only those that scroll. */
  function scrollingCode(root) {
    if (!window.ResizeObserver) return;
    var sizes = new ResizeObserver(function (entries) {
      entries.forEach(function (entry) {
        var pre = entry.target;
        if (pre.scrollWidth > pre.clientWidth + 1 || pre.scrollHeight > pre.clientHeight + 1)
          pre.tabIndex = 0;
        else pre.removeAttribute('tabindex');
      });
    });
    all('.dy-code pre, .dy-diagram-view, .katex-display', root).forEach(function (area) {
      sizes.observe(area);
    });
  }

  docyard.forContent(copyButtons);
  docyard.forContent(expandableCode);
  docyard.forContent(scrollingCode);
})();
