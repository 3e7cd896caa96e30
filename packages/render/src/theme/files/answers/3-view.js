/* The view of questions and answers in the search dialog. */
(function () {
  'use strict';
  var search = window.docyardSearch;
  var names =
    'ask|back|close|looking|writing|done|stop|stopped|nothing|closest|sources|passages|copy|copied|followUp|send|again|limited|budget|busy|failed|note'.split(
      '|',
    );
  /* `#` stands for a question or a number. Translations are in answers-texts.js. */
  var texts =
    'Ask: #|Back to results|Close|Looking for an answer…|Answering…|Answer complete. Sources: #|Stop|Stopped.|These docs do not answer this question.|Closest pages|Sources|Passages from these docs|Copy answer|Copied|Ask a follow-up question|Ask|Try again|Too many questions. Try again in # min.|No more questions are answered today. Try again tomorrow.|Other questions are being answered. Try again in a few seconds.|Answers are not available now. Try again later.|A model wrote this answer from these docs. Check its sources.'.split(
      '|',
    );
  var maxShownCharacters = 20000;
  var maxPassageCharacters = 600;
  var maxClosestPages = 4;
  var refusals = { rate_limited: 'limited', budget_exceeded: 'budget', busy: 'busy' };
  var parts;
  var view;
  var log;
  var field;
  var button;
  var status;
  var turns = [];
  var running;

  docyardSearch('../answers', function (given) {
    parts = given;
    return fetch(search.answersUrl())
      .then(function (response) {
        return response.ok ? response.json() : {};
      })
      .then(function (settings) {
        if (settings.enabled !== true) return undefined;
        return Promise.all([readTexts(), loadStyle()]).then(function () {
          return { open: open, labelOf: labelOf };
        });
      });
  });

  function readTexts() {
    if (parts.language === 'en' || parts.language === '') return undefined;
    return search.fetchShard('../answers-texts').then(function (lines) {
      if (lines[parts.language]) texts = lines[parts.language].split('|');
    });
  }

  function loadStyle() {
    return new Promise(function (resolve, reject) {
      var style = make('link');
      style.rel = 'stylesheet';
      style.href = search.root + '_docyard/answers.css';
      style.addEventListener('load', resolve);
      style.addEventListener('error', reject);
      document.head.appendChild(style);
    });
  }

  function say(name, value) {
    return texts[names.indexOf(name)].replace('#', function () {
      return String(value);
    });
  }

  function make(name, className, text) {
    var node = document.createElement(name);
    if (className) node.className = className;
    if (text) node.textContent = text;
    return node;
  }

  function makeButton(className, text, click) {
    var node = make('button', className, text);
    node.type = 'button';
    if (click) node.addEventListener('click', click);
    return node;
  }

  function labelOf(question) {
    var keys = make('kbd', '', /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘ ↵' : 'Ctrl ↵');
    keys.setAttribute('aria-hidden', 'true');
    return [make('span', 'dy-answer-label', say('ask', question)), keys];
  }

  function open(question) {
    if (!view) build();
    parts.dialog.classList.add('dy-shows-answer');
    /* A reader who comes back to the same question gets the same answer. */
    var first = turns[0];
    if (first && first.question === question && first.reason && first.scope === parts.scope())
      return turns[0].title.focus();
    turns = [];
    log.replaceChildren();
    return send(question);
  }

  function build() {
    view = make('div', 'dy-answer');
    var bar = make('div', 'dy-answer-bar');
    var close = makeButton('dy-search-close', say('close'), function () {
      parts.dialog.close();
    });
    bar.append(makeButton('dy-answer-back', say('back'), back), close);
    log = make('div', 'dy-answer-log');
    log.addEventListener('click', follow);
    var form = make('form', 'dy-answer-form');
    field = make('input', 'dy-answer-field');
    field.type = 'text';
    field.maxLength = 1000;
    field.placeholder = say('followUp');
    field.autocomplete = 'off';
    field.setAttribute('aria-label', say('followUp'));
    button = make('button', 'dy-answer-send', say('send'));
    button.addEventListener('click', function (event) {
      if (!running) return;
      event.preventDefault();
      stop();
    });
    form.addEventListener('submit', function (event) {
      event.preventDefault();
      var question = field.value.trim();
      if (running || !question) return field.focus();
      field.value = '';
      void send(question);
    });
    form.append(field, button);
    status = make('p', 'dy-answer-status');
    status.setAttribute('role', 'status');
    view.append(bar, log, status, form);
    parts.dialog.appendChild(view);
    parts.dialog.addEventListener('close', leave);
  }

  function leave() {
    if (running) stop();
    parts.dialog.classList.remove('dy-shows-answer');
  }

  function back() {
    leave();
    parts.field.focus();
  }

  /* A link to a heading of this page does not load a page. */
  function follow(event) {
    if (!event.target.closest('a') || event.ctrlKey || event.metaKey || event.shiftKey) return;
    parts.dialog.close();
  }

  function stop() {
    running.abort();
  }

  function send(question) {
    var turn = { question: question, text: '', passages: [], scope: parts.scope() };
    var history = turns.filter(function (earlier) {
      return earlier.reason;
    });
    turns.push(turn);
    show(turn);
    running = new AbortController();
    var signal = running.signal;
    status.textContent = say('looking');
    button.textContent = say('stop');
    view.classList.add('dy-is-running');
    var body = {
      text: question,
      scope: turn.scope,
      history: history.map(function (earlier) {
        return { question: earlier.question, answer: earlier.text };
      }),
    };
    return search
      .sendQuestion(
        body,
        function (type, data) {
          if (!signal.aborted) receive(turn, type, data);
        },
        signal,
      )
      .catch(function (error) {
        turn.error = error;
      })
      .then(function () {
        running = undefined;
        button.textContent = say('send');
        view.classList.remove('dy-is-running');
        finish(turn, signal.aborted);
      });
  }

  function show(turn) {
    turn.title = make('h2', 'dy-answer-question', turn.question);
    turn.title.tabIndex = -1;
    turn.title.dir = 'auto';
    turn.body = make('div', 'dy-answer-text');
    turn.body.setAttribute('aria-busy', 'true');
    turn.body.append(make('span', 'dy-answer-wait'));
    turn.foot = make('div', 'dy-answer-foot');
    var section = make('section', 'dy-answer-turn');
    section.append(turn.title, turn.body, turn.foot);
    log.appendChild(section);
    turn.title.focus();
    section.scrollIntoView({ block: 'start' });
  }

  function receive(turn, type, data) {
    if (type === 'passages') turn.passages = data.passages;
    else if (type === 'done') Object.assign(turn, { reason: data.reason, citations: data.citations });
    else if (type === 'error') turn.error = data;
    else if (type === 'text') {
      if (!turn.text) status.textContent = say('writing');
      turn.text += data.text;
      if (!turn.drawing)
        turn.drawing = requestAnimationFrame(function () {
          turn.drawing = undefined;
          draw(turn);
        });
    }
  }

  function draw(turn) {
    var text = turn.text.trim();
    if (text.length > maxShownCharacters) text = text.slice(0, maxShownCharacters) + ' …';
    turn.body.replaceChildren.apply(
      turn.body,
      search.answerNodes(text, function (number) {
        return citation(turn, number);
      }),
    );
  }

  function citation(turn, number) {
    var source = sourceOf(turn, number);
    if (!source) return undefined;
    var link = linkTo(source, 'dy-answer-citation', String(number));
    link.setAttribute('aria-label', number + ': ' + nameOf(source));
    link.title = nameOf(source);
    return link;
  }

  function sourceOf(turn, number) {
    return turn.passages.find(function (source) {
      return source.number === number;
    });
  }

  function nameOf(source) {
    return source.heading && source.heading !== source.title
      ? source.title + ' › ' + source.heading
      : source.title;
  }

  /* Links lead to pages of the site only. */
  function linkTo(source, className, text) {
    var link = make('a', className, text);
    var address = new URL(source.url, location.href);
    if (address.origin === location.origin) link.href = address.href;
    return link;
  }

  function finish(turn, isStopped) {
    cancelAnimationFrame(turn.drawing);
    turn.body.setAttribute('aria-busy', 'false');
    if (turn.reason === 'answered' || (isStopped && turn.text)) draw(turn);
    else turn.body.replaceChildren();
    if (isStopped) return notice(turn, say('stopped'), true);
    if (turn.reason === 'answered') return finishAnswer(turn);
    if (turn.reason === 'passages') {
      status.textContent = say('passages');
      return turn.foot.append(passages(turn));
    }
    if (turn.reason === 'not_found') notice(turn, say('nothing'), false);
    else {
      var error = turn.error || {};
      var minutes = Math.max(1, Math.ceil((error.seconds || 0) / 60));
      turn.text = '';
      notice(turn, say(refusals[error.code] || 'failed', minutes), true);
    }
    var closest = turn.passages.slice(0, maxClosestPages);
    if (closest.length) turn.foot.append(sourceList(say('closest'), closest, false));
    return undefined;
  }

  function finishAnswer(turn) {
    var sources = turn.citations.map(function (number) {
      return sourceOf(turn, number);
    });
    turn.foot.append(sourceList(say('sources'), sources, true));
    var row = make('div', 'dy-answer-row');
    row.append(make('p', 'dy-answer-note', say('note')));
    if (navigator.clipboard) row.append(copyButton(turn, sources));
    turn.foot.append(row);
    status.textContent = say('done', sources.length);
  }

  function copyButton(turn, sources) {
    var copy = makeButton('dy-answer-copy', say('copy'), function () {
      var lines = sources.map(function (source) {
        return '[' + source.number + '] ' + nameOf(source) + ': ' + new URL(source.url, location.href).href;
      });
      void navigator.clipboard.writeText(turn.text.trim() + '\n\n' + lines.join('\n')).then(function () {
        copy.textContent = say('copied');
        status.textContent = say('copied');
      });
    });
    return copy;
  }

  function notice(turn, text, canRepeat) {
    status.textContent = text;
    turn.body.append(make('p', 'dy-answer-notice', text));
    if (!canRepeat) return;
    var repeat = makeButton('dy-answer-copy', say('again'), function () {
      if (running) return;
      turn.title.parentNode.remove();
      turns.splice(turns.indexOf(turn), 1);
      void send(turn.question);
    });
    turn.body.append(repeat);
  }

  function sourceList(label, sources, withNumbers) {
    var part = make('div', 'dy-answer-sources');
    var list = make(withNumbers ? 'ol' : 'ul');
    sources.forEach(function (source) {
      var entry = make('li');
      if (withNumbers) entry.append(make('span', 'dy-answer-number', String(source.number)));
      entry.append(linkTo(source, '', nameOf(source)));
      list.append(entry);
    });
    part.append(make('h3', 'dy-answer-heading', label), list);
    return part;
  }

  /* Without a model the passages themselves are the answer. */
  function passages(turn) {
    var part = make('div', 'dy-answer-passages');
    part.append(make('h3', 'dy-answer-heading', say('passages')));
    turn.passages.forEach(function (source) {
      var passage = make('article', 'dy-answer-passage');
      var excerpt = make('div', 'dy-answer-text');
      excerpt.append.apply(excerpt, search.answerNodes(excerptOf(source), noLink));
      passage.append(linkTo(source, '', nameOf(source)), excerpt);
      part.append(passage);
    });
    return part;
  }

  function noLink() {}

  /* Passages are Markdown. Their heading is the name of the link. */
  function excerptOf(source) {
    var text = source.text
      .replace(/^#{1,6} .*/gm, '')
      .replace(/\[([^[\]]{1,200})\]\([^()]{1,400}\)/g, '$1')
      .replace(/<\/?[A-Z][^<>]{0,200}>/g, '')
      .trim();
    if (text.length <= maxPassageCharacters) return text;
    var end = text.lastIndexOf(' ', maxPassageCharacters);
    return text.slice(0, end > 0 ? end : maxPassageCharacters) + ' …';
  }
})();
