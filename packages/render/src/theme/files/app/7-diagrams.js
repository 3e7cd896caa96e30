/* Diagrams: zoom buttons and panning. Without JavaScript they scroll. */
(function () {
  'use strict';

  function addControls(figure) {
    var view = figure.firstElementChild;
    var drawing = view.firstElementChild;
    var scale = 1;
    var base = 0;

    function zoom(next) {
      base = base || drawing.getBoundingClientRect().width;
      scale = Math.min(5, Math.max(0.4, next));
      var home = Math.abs(scale - 1) < 0.01;
      drawing.style.width = home ? '' : base * scale + 'px';
      drawing.style.maxWidth = home ? '' : 'none';
      view.classList.toggle('dy-is-zoomed', !home);
      if (home) base = 0;
    }

    function button(label, sign, act) {
      var element = document.createElement('button');
      element.type = 'button';
      element.textContent = sign;
      element.setAttribute('aria-label', label);
      element.title = label;
      element.addEventListener('click', act);
      controls.appendChild(element);
    }

    var controls = document.createElement('div');
    controls.className = 'dy-diagram-controls';
    controls.setAttribute('data-component-name', 'mermaid-controls-wrapper');
    button('Zoom in', '+', function () {
      zoom(scale * 1.3);
    });
    button('Zoom out', '\u2212', function () {
      zoom(scale / 1.3);
    });
    button('Original size', '\u21ba', function () {
      zoom(1);
    });
    figure.appendChild(controls);

    view.addEventListener('pointerdown', function (event) {
      if (event.pointerType !== 'mouse' || !view.classList.contains('dy-is-zoomed')) return;
      var left = view.scrollLeft + event.clientX;
      var top = view.scrollTop + event.clientY;
      function move(next) {
        view.scrollLeft = left - next.clientX;
        view.scrollTop = top - next.clientY;
      }
      event.preventDefault();
      document.addEventListener('pointermove', move);
      document.addEventListener(
        'pointerup',
        function () {
          document.removeEventListener('pointermove', move);
        },
        { once: true },
      );
    });
  }

  docyard.forContent(function (root) {
    docyard.all('.dy-diagram[data-controls]', root).forEach(addControls);
  });
})();
