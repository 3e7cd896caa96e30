/*
 * Asks whether a page helps, and reports searches. It does nothing unless the server of the site collects
 * feedback, and it sends requests to that server only.
 */
(function () {
  'use strict';
  var slot = document.querySelector('[data-feedback]');
  if (!/^https?:$/.test(location.protocol)) return;
  var root = document.currentScript.src.replace(/_docyard\/feedback\.js(?:\?[^?]*)?$/, '');
  var names = 'question|yes|no|comment|send|thanks|failed'.split('|');
  var texts = slot ? slot.getAttribute('data-feedback').split('|') : [];
  var id;
  var status;

  fetch(root + '_docyard/feedback').then(function (answer) {
    if (!answer.ok) return undefined;
    return answer.json().then(function (settings) {
      if (settings.enabled !== true) return;
      reportSearches();
      if (slot && !slot.firstChild) ask();
    });
  }, ignore);

  function ignore() {}

  function say(name) {
    return texts[names.indexOf(name)];
  }

  function make(name, className, text) {
    var node = document.createElement(name);
    if (className) node.className = className;
    if (text) node.textContent = text;
    return node;
  }

  function send(path, body) {
    return fetch(root + '_docyard/' + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      keepalive: true,
    }).then(function (answer) {
      if (!answer.ok) throw new Error(String(answer.status));
    });
  }

  /* The address of the page below the root of the site, as the server counts it. */
  function pagePath() {
    var path = location.pathname.slice(new URL(root).pathname.length - 1);
    return (
      decodeURIComponent(path)
        .replace(/(?:\/index)?\.html$/, '')
        .replace(/\/$/, '') || '/'
    );
  }

  function newId() {
    return Array.from(crypto.getRandomValues(new Uint8Array(12)), function (byte) {
      return byte.toString(16).padStart(2, '0');
    }).join('');
  }

  function ask() {
    var style = make('link');
    style.rel = 'stylesheet';
    style.href = root + '_docyard/feedback.css';
    style.addEventListener('load', function () {
      showQuestion();
    });
    document.head.appendChild(style);
  }

  function showQuestion() {
    var group = make('div', 'dy-feedback');
    group.setAttribute('role', 'group');
    group.setAttribute('aria-label', say('question'));
    var buttons = ['yes', 'no'].map(function (name) {
      var button = make('button', '', say(name));
      button.type = 'button';
      button.setAttribute('aria-pressed', 'false');
      button.addEventListener('click', function () {
        if (!id) vote(name === 'yes', button, buttons);
      });
      return button;
    });
    var row = make('div', 'dy-feedback-row');
    row.append.apply(row, [make('span', 'dy-feedback-question', say('question'))].concat(buttons));
    status = make('p', 'dy-feedback-status');
    status.setAttribute('role', 'status');
    status.tabIndex = -1;
    group.append(row, status);
    slot.appendChild(group);
  }

  function vote(isHelpful, pressed, buttons) {
    id = newId();
    var body = { id: id, path: pagePath(), helpful: isHelpful };
    pressed.setAttribute('aria-pressed', 'true');
    send('feedback', body).then(
      function () {
        buttons.forEach(function (button) {
          button.setAttribute('aria-disabled', 'true');
        });
        status.textContent = say('thanks');
        askForComment(body);
      },
      function () {
        id = undefined;
        pressed.setAttribute('aria-pressed', 'false');
        status.textContent = say('failed');
      },
    );
  }

  function askForComment(body) {
    var form = make('form', 'dy-feedback-form');
    var label = make('label', '', say('comment'));
    var field = make('textarea');
    field.rows = 3;
    field.maxLength = 2000;
    label.appendChild(field);
    var button = make('button', '', say('send'));
    form.append(label, button);
    form.addEventListener('submit', function (event) {
      event.preventDefault();
      var comment = field.value.trim();
      if (!comment) return field.focus();
      button.disabled = true;
      send('feedback', Object.assign({ comment: comment }, body)).then(
        function () {
          form.remove();
          status.textContent = say('thanks');
          status.focus();
        },
        function () {
          button.disabled = false;
          status.textContent = say('failed');
        },
      );
    });
    slot.firstChild.appendChild(form);
  }

  /* Results appear while a reader types. A search is what is left when the reader pauses or closes the dialog. */
  function reportSearches() {
    var pauseMs = 3000;
    var pending;
    var timer;
    var reported = {};
    var report = function () {
      clearTimeout(timer);
      if (pending && !reported[pending.search]) {
        reported[pending.search] = true;
        send('events', pending).catch(ignore);
      }
      pending = undefined;
    };
    document.addEventListener('docyard:search', function (event) {
      clearTimeout(timer);
      pending = { search: event.detail.question.slice(0, 500), results: event.detail.total };
      timer = setTimeout(report, pauseMs);
    });
    document.addEventListener('close', report, true);
    window.addEventListener('pagehide', report);
  }
})();
