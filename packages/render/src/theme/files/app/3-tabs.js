/* Synchronized tabs, and opening the element that the address points to. */
(function () {
  'use strict';
  var all = docyard.all;
  var remember = docyard.remember;
  var recall = docyard.recall;

  var listeners = [];

  /* Registers a listener for tab changes. */
  docyard.onTab = function (listener) {
    listeners.push(listener);
  };

  function panelsOf(group) {
    return all(':scope > .dy-tab', group);
  }

  function buttonsOf(group) {
    return all(':scope > .dy-tab-list > [role="tab"]', group);
  }

  function select(group, index) {
    buttonsOf(group).forEach(function (button, at) {
      button.setAttribute('aria-selected', String(at === index));
      button.tabIndex = at === index ? 0 : -1;
      if (at === index) button.setAttribute('data-active', 'true');
      else button.removeAttribute('data-active');
    });
    panelsOf(group).forEach(function (panel, at) {
      panel.toggleAttribute('data-active', at === index);
    });
    listeners.forEach(function (listener) {
      listener();
    });
  }

  /* Groups of the same name are synchronized; groups without a name share the stored choice. */
  function selectTitle(name, title, except) {
    all('[data-tabs][data-sync]').forEach(function (group) {
      if (group === except || group.getAttribute('data-sync') !== name) return;
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
      var name = group.getAttribute('data-sync');
      selectTitle(name, title, group);
      if (!name) remember('tab', title);
      window.scrollBy(0, button.getBoundingClientRect().top - before);
    }
  }

  function tabs(root) {
    all('[data-tabs]', root).forEach(function (group) {
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
          var step = { ArrowRight: 1, ArrowLeft: -1, Home: -index, End: -1 - index }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          var next = (index + step + buttons.length) % buttons.length;
          chooseTab(group, next);
          buttons[next].focus();
        });
      });
    });
    var last = recall('tab');
    if (last) selectTitle('', last, null);
  }

  function revealTarget() {
    var id = docyard.idIn(location.hash);
    var target = id && document.getElementById(id);
    if (!target) return;
    for (var node = target; node; node = node.parentElement) {
      if (node.tagName === 'DETAILS') node.open = true;
      if (node.classList.contains('dy-tab') && node.parentElement.hasAttribute('data-tabs'))
        select(node.parentElement, panelsOf(node.parentElement).indexOf(node));
    }
    target.scrollIntoView();
  }

  docyard.forContent(tabs);
  revealTarget();
  addEventListener('hashchange', revealTarget);
})();
