/*
 * The search dialog: input, results with arrow-key navigation, recent searches, and suggestions for empty
 * results. Built on first use.
 */
(function () {
  'use strict';
  var search = window.docyardSearch;
  var docyard = window.docyard;
  if (!docyard) return;
  var names =
    'search|close|results|all|recent|start|keys|more|pages|nothing|help|mean|elsewhere|unread'.split('|');
  /* `#` stands for a number or a word. Translations are in search-texts.js. */
  var texts =
    'Search|Close|Results|All languages and versions|Recent searches|Start here|↑ ↓ to move, Enter to open, Esc to close|Show more results|Pages found: #|Nothing found for “#”|Try fewer or other words, or check the spelling.|Did you mean|In other languages and versions: #|The search index could not be read.'.split(
      '|',
    );
  var shown = 6;
  /* Debounce; longer for words of one or two letters, which are usually incomplete. */
  var pauseMs = 200;
  var shortWordPauseMs = 500;
  var dialog;
  var field;
  var list;
  var help;
  var status;
  var scopeButton;
  var options = [];
  var active = -1;
  var turn = 0;
  var typing;
  var answered = Promise.resolve();
  var everywhere = false;
  var limit = shown;
  var scope = 0;
  var scopes = [];
  /* Set when the server of the site answers questions. */
  var ask;

  search.open = function (button) {
    search.root = docyard.root;
    search.folder = docyard.root + '_docyard/search/';
    if (dialog && dialog.open) return;
    readTexts().then(function () {
      if (!dialog) build(button);
      if (dialog.open) return;
      dialog.showModal();
      field.select();
      search.loadIndex().then(function (index) {
        scopes = index.scopes;
        scope = Math.max(0, scopes.findIndex(isScopeOf(button)));
        scopeButton.hidden = scopes.length < 2;
        return show();
      }, failed);
    });
  };

  function languageKey() {
    var code = document.documentElement.lang.toLowerCase();
    return /^zh-(?:hant|tw|hk)/.test(code) ? 'zh-hant' : code.split('-')[0];
  }

  /* Uses the language of the page when available, else English. */
  function readTexts() {
    var key = languageKey();
    if (dialog || key === 'en' || key === '') return Promise.resolve();
    return search.fetchShard('../search-texts').then(
      function (lines) {
        if (lines[key]) texts = lines[key].split('|');
      },
      function () {
        /* Falls back to English. */
      },
    );
  }

  function say(name, value) {
    return texts[names.indexOf(name)].replace('#', function () {
      return String(value);
    });
  }

  function isScopeOf(button) {
    return function (item) {
      return (
        item.language === (button.getAttribute('data-language') || '') &&
        item.version === (button.getAttribute('data-version') || '')
      );
    };
  }

  function make(name, className, text) {
    var node = document.createElement(name);
    if (className) node.className = className;
    if (text) node.textContent = text;
    return node;
  }

  function attributes(node, values) {
    Object.keys(values).forEach(function (name) {
      node.setAttribute(name, values[name]);
    });
    return node;
  }

  function build(button) {
    dialog = attributes(make('dialog', 'dy-search-dialog'), { 'aria-label': say('search') });
    var bar = make('div', 'dy-search-bar');
    var icon = button.querySelector('svg');
    if (icon) bar.appendChild(icon.cloneNode(true));
    field = attributes(make('input', 'dy-search-field'), {
      type: 'text',
      inputmode: 'search',
      role: 'combobox',
      'aria-label': say('search'),
      'aria-autocomplete': 'list',
      'aria-controls': 'search-results',
      'aria-expanded': 'false',
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      enterkeyhint: 'go',
      placeholder: button.getAttribute('data-prompt') || say('search'),
    });
    docyard.giveId(field, 'search-input');
    var close = attributes(make('button', 'dy-search-close', say('close')), { type: 'button' });
    bar.append(field, close);
    list = attributes(make('div', 'dy-search-results'), {
      id: 'search-results',
      role: 'listbox',
      'aria-label': say('results'),
    });
    status = attributes(make('p', 'dy-search-status'), { role: 'status' });
    scopeButton = attributes(make('button', 'dy-search-scope', say('all')), {
      type: 'button',
      'aria-pressed': 'false',
    });
    var foot = make('div', 'dy-search-foot');
    foot.append(status, scopeButton);
    help = make('div', 'dy-search-nothing');
    help.hidden = true;
    dialog.append(bar, help, list, foot);
    document.body.appendChild(dialog);
    listen(close);
    if (button.hasAttribute('data-answers') && /^https?:$/.test(location.protocol)) loadAnswers();
  }

  function loadAnswers() {
    var start = search.fetchShard('../answers').then(function (startAnswers) {
      return startAnswers({ dialog: dialog, field: field, language: languageKey(), scope: chosenScope });
    });
    start.then(
      function (answers) {
        ask = answers;
        if (ask && field.value.trim()) void show();
      },
      function () {
        /* Without the script there are no answers. */
      },
    );
  }

  function chosenScope() {
    return everywhere || !scopes.length ? undefined : scope;
  }

  function askOption(question) {
    var node = option('#', 'dy-is-ask');
    node.setAttribute('data-ask', '');
    node.append.apply(node, ask.labelOf(question));
    return node;
  }

  function listen(close) {
    close.addEventListener('click', function () {
      dialog.close();
    });
    field.addEventListener('input', function () {
      limit = shown;
      clearTimeout(typing);
      typing = setTimeout(
        function () {
          void show();
        },
        field.value.trim() === '' ? 0 : pauseAfter(field.value),
      );
    });
    field.addEventListener('keydown', keys);
    scopeButton.addEventListener('click', function () {
      everywhere = !everywhere;
      scopeButton.setAttribute('aria-pressed', String(everywhere));
      void show();
      field.focus();
    });
    dialog.addEventListener('click', function (event) {
      if (event.target === dialog) dialog.close();
    });
    list.addEventListener('click', function (event) {
      var option = event.target.closest('[role="option"]');
      if (option) void chosen(option, event);
    });
    list.addEventListener('mousemove', function (event) {
      var option = event.target.closest('[role="option"]');
      if (option && options.indexOf(option) !== active) activate(options.indexOf(option), false);
    });
  }

  function keys(event) {
    if (event.isComposing) return;
    var step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && options.length) {
      event.preventDefault();
      activate((active + step + options.length) % options.length, true);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      var question = field.value.trim();
      if (ask && question && (event.ctrlKey || event.metaKey)) {
        keep(question);
        return ask.open(question);
      }
      var click = new MouseEvent('click', {
        bubbles: true,
        cancelable: true,
        ctrlKey: event.ctrlKey,
        metaKey: event.metaKey,
      });
      /* The visible results may belong to an earlier query. */
      void (typing ? show() : answered).then(function () {
        var option = options[Math.max(0, active)];
        if (option) option.dispatchEvent(click);
      });
    }
  }

  function pauseAfter(question) {
    var word = question.slice(question.lastIndexOf(' ') + 1);
    var isShort = word.length === 1 || word.length === 2;
    /* In scripts without spaces, one or two characters can be a whole word. */
    return isShort && !/[\u0e00-\uffff]/.test(word) ? shortWordPauseMs : pauseMs;
  }

  function activate(index, scroll) {
    if (options[active]) options[active].setAttribute('aria-selected', 'false');
    active = index;
    var option = options[active];
    if (!option) return field.removeAttribute('aria-activedescendant');
    option.setAttribute('aria-selected', 'true');
    field.setAttribute('aria-activedescendant', option.id);
    if (scroll) option.scrollIntoView({ block: 'nearest' });
  }

  function chosen(option, event) {
    var question = option.getAttribute('data-question');
    if (question !== null) {
      event.preventDefault();
      field.value = question;
      field.focus();
      return show();
    }
    if (option.hasAttribute('data-ask')) {
      event.preventDefault();
      keep(field.value.trim());
      return ask.open(field.value.trim());
    }
    if (option.hasAttribute('data-more')) {
      event.preventDefault();
      var from = active;
      limit += shown;
      field.focus();
      return show().then(function () {
        activate(Math.min(from, options.length - 1), true);
      });
    }
    keep(field.value.trim());
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) dialog.close();
  }

  function recent() {
    try {
      var kept = JSON.parse(docyard.recall('searches') || '[]');
      return Array.isArray(kept) ? kept.filter(isText).slice(0, 5) : [];
    } catch {
      return [];
    }
  }

  function isText(item) {
    return typeof item === 'string';
  }

  function keep(question) {
    if (!question) return;
    var others = recent().filter(function (item) {
      return item.toLowerCase() !== question.toLowerCase();
    });
    docyard.remember('searches', JSON.stringify([question].concat(others).slice(0, 5)));
  }

  /* Shows the results of the current query; outdated answers are dropped. */
  function show() {
    clearTimeout(typing);
    typing = undefined;
    var question = field.value.trim();
    var mine = ++turn;
    var isStale = function () {
      return mine !== turn;
    };
    var work =
      question === ''
        ? search.loadIndex().then(function (index) {
            if (!isStale()) showStart(index);
          })
        : search
            .find(field.value.replace(/^\s+/, ''), {
              scope: everywhere ? -1 : scope,
              limit: limit,
              isStale: isStale,
            })
            .then(function (answer) {
              return answer.results.length || isStale() ? answer : withHelp(question, answer);
            })
            .then(function (answer) {
              if (!isStale()) showAnswer(question, answer);
            });
    answered = work.catch(failed);
    return answered;
  }

  function withHelp(question, answer) {
    return search.suggest(question, everywhere ? -1 : scope).then(function (terms) {
      answer.suggestions = terms;
      if (everywhere || scopeButton.hidden) return answer;
      return search.find(question, { scope: -1, limit: 1 }).then(function (other) {
        answer.elsewhere = other.total;
        return answer;
      });
    });
  }

  function failed() {
    fill([]);
    status.textContent = say('unread');
  }

  function fill(nodes) {
    list.replaceChildren.apply(list, nodes);
    options = docyard.all('[role="option"]', list);
    options.forEach(function (option, at) {
      option.id = 'search-option-' + at;
      option.setAttribute('aria-selected', 'false');
    });
    field.setAttribute('aria-expanded', String(options.length > 0));
    list.hidden = options.length === 0;
    help.hidden = true;
    list.scrollTop = 0;
    active = -1;
    activate(field.value.trim() ? firstResult() : -1, false);
  }

  /* The question stands above the results, but Enter opens a result, if there is one. */
  function firstResult() {
    if (options.length > 1 && options[0].hasAttribute('data-ask')) return 1;
    return options.length > 0 ? 0 : -1;
  }

  function group(label, children) {
    var node = attributes(make('div', 'dy-search-group'), { role: 'group', 'aria-label': label });
    node.append.apply(node, children);
    return node;
  }

  function option(href, className) {
    return attributes(make('a', 'dy-search-option ' + (className || '')), {
      role: 'option',
      href: href,
      tabindex: '-1',
    });
  }

  function questionOption(question) {
    var node = option('#', 'dy-is-plain');
    node.setAttribute('data-question', question);
    node.textContent = question;
    return node;
  }

  function labelled(label, nodes) {
    var head = attributes(make('p', 'dy-search-label', label), { 'aria-hidden': 'true' });
    return group(label, [head].concat(nodes));
  }

  function showStart(index) {
    var groups = [];
    var kept = recent();
    if (kept.length) groups.push(labelled(say('recent'), kept.map(questionOption)));
    var starts = index.starts[scope] || [];
    if (starts.length)
      groups.push(
        labelled(
          say('start'),
          starts.map(function (page) {
            var node = option(search.root + page[1], 'dy-is-plain');
            node.textContent = page[0];
            return node;
          }),
        ),
      );
    fill(groups);
    status.textContent = matchMedia('(hover: hover)').matches ? say('keys') : '';
  }

  function showAnswer(question, answer) {
    var detail = { question: question, total: answer.total };
    document.dispatchEvent(new CustomEvent('docyard:search', { detail: detail }));
    if (!answer.results.length) return showNothing(question, answer);
    var groups = answer.results.map(function (result) {
      return resultGroup(result, answer.terms);
    });
    if (answer.total > answer.results.length) {
      var more = option('#', 'dy-is-more');
      more.setAttribute('data-more', '');
      more.textContent = say('more');
      groups.push(more);
    }
    if (ask) groups.unshift(askOption(question));
    fill(groups);
    var count = say('pages', answer.total);
    status.textContent = answer.corrected ? count + ' · “' + answer.corrected + '”' : count;
  }

  function showNothing(question, answer) {
    var nodes = [];
    if (answer.suggestions && answer.suggestions.length)
      nodes.push(labelled(say('mean'), answer.suggestions.map(questionOption)));
    if (ask) nodes.unshift(askOption(question));
    fill(nodes);
    activate(ask ? 0 : -1, false);
    help.replaceChildren(
      make('p', 'dy-search-nothing-title', say('nothing', question)),
      make('p', '', say('help')),
    );
    help.hidden = false;
    status.textContent = answer.elsewhere ? say('elsewhere', answer.elsewhere) : say('pages', 0);
  }

  function resultGroup(result, terms) {
    var sections = result.sections.slice(0, 3);
    var main = sections[0];
    var children = [mainOption(result, main, terms)];
    sections.slice(1).forEach(function (section) {
      if (section.id && section.score > main.score * 0.45)
        children.push(sectionOption(result, section, terms));
    });
    return group(result.title, children);
  }

  function address(result, section) {
    return search.root + result.href + (section.id ? '#' + encodeURIComponent(section.id) : '');
  }

  function mainOption(result, section, terms) {
    var node = option(address(result, section), '');
    var head = make('span', 'dy-search-head');
    var title = make('span', 'dy-search-title');
    title.append.apply(title, marked(result.title, terms));
    var trail = [scopeName(result), result.trail].filter(Boolean).join(' · ');
    head.append(title, make('span', 'dy-search-trail', trail));
    node.appendChild(head);
    if (section.id) {
      var heading = make('span', 'dy-search-heading');
      heading.append.apply(heading, marked(section.title, terms));
      node.appendChild(heading);
    }
    addExcerpt(node, section, terms);
    return node;
  }

  function sectionOption(result, section, terms) {
    var node = option(address(result, section), 'dy-is-section');
    var heading = make('span', 'dy-search-heading');
    heading.append.apply(heading, marked(section.title, terms));
    node.appendChild(heading);
    addExcerpt(node, section, terms);
    return node;
  }

  /* Shown only when results come from several languages or versions. */
  function scopeName(result) {
    var first = scopes[result.scopes[0]];
    return everywhere && first ? [first.language, first.version].filter(Boolean).join(' ') : '';
  }

  function addExcerpt(node, section, terms) {
    if (!section.text) return;
    var excerpt = make('span', 'dy-search-excerpt');
    excerpt.append.apply(excerpt, marked(windowOf(section.text, terms), terms));
    node.appendChild(excerpt);
  }

  /* The excerpt with the most highlights, starting at a word. */
  function windowOf(text, terms) {
    var length = 150;
    var marks = search.marksIn(text, terms);
    if (text.length <= length || !marks.length || marks[0][0] < 60) return cut(text, 0, length);
    var best = 0;
    var most = 0;
    marks.forEach(function (mark) {
      var inside = marks.filter(function (other) {
        return other[0] >= mark[0] && other[1] <= mark[0] + length - 40;
      }).length;
      if (inside > most) {
        most = inside;
        best = mark[0];
      }
    });
    var from = text.lastIndexOf(' ', Math.max(0, best - 40));
    return cut(text, best - from > 80 ? best : from + 1, length);
  }

  function cut(text, from, length) {
    if (from + length >= text.length) return (from > 0 ? '… ' : '') + text.slice(from);
    var space = text.lastIndexOf(' ', from + length);
    var to = space > from + length / 2 ? space : from + length;
    return (from > 0 ? '… ' : '') + text.slice(from, to) + ' …';
  }

  function marked(text, terms) {
    var nodes = [];
    var last = 0;
    search.marksIn(text, terms).forEach(function (mark) {
      nodes.push(text.slice(last, mark[0]), make('mark', '', text.slice(mark[0], mark[1])));
      last = mark[1];
    });
    nodes.push(text.slice(last));
    return nodes;
  }
})();
