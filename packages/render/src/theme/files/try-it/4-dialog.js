/* The request form, part 4 of 4: the dialog, built on first use from the data in the page. */
(function () {
  'use strict';
  var fields = docyard.tryItFields;
  var make = fields.make;
  var say = fields.say;
  var button = document.querySelector('[data-try-it]');
  var data = document.querySelector('script[data-request]');
  if (!button || !data || !window.HTMLDialogElement) return;

  function build() {
    var page = JSON.parse(data.textContent);
    var model = page.request;
    docyard.tryItTexts = page.texts;
    var parts = {
      server: fields.servers(model.servers),
      security: fields.security(model.security, model.servers[0].url),
      parameters: fields.parameters(model.parameters),
      body: fields.bodies(model.method === 'GET' || model.method === 'HEAD' ? [] : model.bodies),
    };
    var preview = make('code');
    var shownText = function () {
      return preview.textContent;
    };
    var copy = docyard.copyButton(shownText, say('Copy'), say('Copied'));
    copy.hidden = !navigator.clipboard;
    var send = make('button', { type: 'submit', class: 'dy-api-try' }, [say('Send')]);
    var stop = make('button', { type: 'button', class: 'dy-try-it-stop', hidden: '' }, [say('Stop')]);
    var close = make('button', { type: 'button', class: 'dy-icon-button', 'aria-label': say('Close') }, [
      '×',
    ]);
    var answer = make('div', { class: 'dy-try-it-answer', role: 'status', 'aria-label': say('Response') });
    var form = make('form', { class: 'dy-try-it-form', id: 'try-it-form', autocomplete: 'off' }, [
      make('div', { class: 'dy-try-it-fields' }, inputsOf(parts)),
    ]);
    docyard.giveId(form.firstElementChild, 'api-playground-input');
    var title = make('h2', { id: 'try-it-title' }, [say('Try it')]);
    var bar = document.querySelector('.dy-api-bar');
    var endpoint = make('div', { class: 'dy-try-it-endpoint' }, [
      bar.querySelector('.dy-method').cloneNode(true),
      bar.querySelector('.dy-api-path').cloneNode(true),
    ]);
    var head = make('div', { class: 'dy-try-it-head' }, [title, endpoint, stop, send, close]);
    var command = make('div', { class: 'dy-try-it-command dy-code' }, [
      make('p', { class: 'dy-code-title' }, [say('Command')]),
      make('pre', { tabindex: '0', role: 'region', 'aria-label': say('Command') }, [preview]),
      copy,
    ]);
    form.prepend(head);
    form.append(make('div', { class: 'dy-try-it-results' }, [command, answer]));
    var dialog = make('dialog', { class: 'dy-try-it', 'aria-labelledby': title.id }, [form]);

    var current = function () {
      return docyard.tryItRequest(model, {
        server: parts.server.read(),
        security: parts.security.read(),
        parameters: parts.parameters.read(),
        body: parts.body.read(),
      });
    };
    var refresh = function () {
      preview.textContent = docyard.tryItCommand(current());
    };
    var running;
    var isWarned = false;
    form.addEventListener('input', function () {
      isWarned = false;
    });
    form.addEventListener('input', refresh);
    form.addEventListener('change', refresh);
    form.addEventListener('submit', function (event) {
      event.preventDefault();
      var missing = isWarned ? undefined : parts.security.missing();
      isWarned = true;
      if (missing) return missing.warn();
      if (running) running.abort();
      var own = (running = new AbortController());
      stop.hidden = false;
      void docyard.tryItSend(current(), page.credentials, answer, own.signal).then(function () {
        if (running === own) stop.hidden = true;
        answer.scrollIntoView({ block: 'nearest' });
      });
    });
    stop.addEventListener('click', function () {
      if (running) running.abort();
      send.focus();
    });
    close.addEventListener('click', function () {
      dialog.close();
    });
    dialog.addEventListener('click', function (event) {
      if (event.target === dialog) dialog.close();
    });
    document.body.append(dialog);
    refresh();
    return dialog;
  }

  function inputsOf(parts) {
    var nodes = [parts.server, parts.security, parts.parameters, parts.body].flatMap(function (part) {
      return part.nodes;
    });
    return nodes.length
      ? nodes
      : [make('p', { class: 'dy-try-it-note' }, ['Nothing needs to be filled in.'])];
  }

  var dialog;
  button.hidden = false;
  button.addEventListener('click', function () {
    dialog = dialog || build();
    dialog.showModal();
    var first = dialog.querySelector(
      '.dy-try-it-fields input, .dy-try-it-fields select, .dy-try-it-fields textarea',
    );
    if (first) first.focus();
  });
})();
