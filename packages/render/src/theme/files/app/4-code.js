/* Code blocks: copying and expanding. Areas that scroll: keyboard access and faded edges. */
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

  var icons =
    docyard.icon(
      '<rect x="8" y="8" width="12" height="12" rx="2"/><path d="M16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2"/>',
    ) + docyard.icon('<path d="m5 12.5 4.5 4.5L19 7.5"/>');

  docyard.copyButton = function (text, label, copied) {
    var button = document.createElement('button');
    var name = function (shown) {
      button.setAttribute('aria-label', shown);
      button.title = shown;
    };
    button.type = 'button';
    button.className = 'dy-copy-button code-block-copy-button';
    button.innerHTML = icons;
    name(label);
    button.addEventListener('click', function () {
      void navigator.clipboard.writeText(text()).then(function () {
        name(copied);
        button.classList.add('dy-is-copied');
        setTimeout(function () {
          name(label);
          button.classList.remove('dy-is-copied');
        }, 1600);
      });
    });
    return button;
  };

  function copyButtons(root) {
    if (!navigator.clipboard) return;
    all('.dy-code:not([data-no-copy])', root).forEach(function (block) {
      var text = function () {
        return textOf(block);
      };
      block.appendChild(docyard.copyButton(text, 'Copy', 'Copied'));
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
  function scrollAreas(root) {
    if (!window.ResizeObserver) return;
    var sizes = new ResizeObserver(function (entries) {
      entries.forEach(function (entry) {
        var area = entry.target;
        if (area.matches(fading)) markEdges(area);
        if (!area.matches(focusable)) return;
        if (area.scrollWidth > area.clientWidth + 1 || area.scrollHeight > area.clientHeight + 1)
          area.tabIndex = 0;
        else area.removeAttribute('tabindex');
      });
    });
    all(focusable + ',' + fading, root).forEach(function (area) {
      sizes.observe(area);
      if (!area.matches(fading)) return;
      area.addEventListener(
        'scroll',
        function () {
          markEdges(area);
        },
        { passive: true },
      );
    });
  }

  var focusable = '.dy-code pre, .dy-diagram-view, .katex-display, .dy-table';
  var fading = '.dy-table, .dy-tab-list, .dy-tab-bar';

  /* Content fades out where there is more of it. Right-to-left areas scroll to negative positions. */
  function markEdges(area) {
    var before = Math.abs(area.scrollLeft);
    var after = area.scrollWidth - area.clientWidth - before;
    var edges = [before > 1 && 'start', after > 1 && 'end'].filter(Boolean).join(' ');
    if (edges) area.setAttribute('data-more', edges);
    else area.removeAttribute('data-more');
  }

  docyard.forContent(copyButtons);
  docyard.forContent(expandableCode);
  docyard.forContent(scrollAreas);
})();
