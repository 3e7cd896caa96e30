/*
 * The preview's corner badge: the findings of the page and the problems of the site. A shadow root isolates it from
 * the page.
 */
(function () {
  'use strict';
  var root = document.currentScript.src.replace(/_docyard\/preview\.js[^]*/, '');
  var last = { findings: [], problem: null };
  var lost = false;
  var opened = false;
  var host = make('aside', { id: 'docyard-preview', 'aria-label': 'Preview' });
  var inside = host.attachShadow({ mode: 'open' });

  function make(name, attributes, children) {
    var element = document.createElement(name);
    Object.keys(attributes).forEach(function (key) {
      if (attributes[key] !== false) element.setAttribute(key, attributes[key]);
    });
    (children || []).forEach(function (child) {
      if (child) element.append(child);
    });
    return element;
  }

  function plural(count, word) {
    return count + ' ' + word + (count === 1 ? '' : 's');
  }

  function placeOf(finding) {
    return [finding.file, finding.line, finding.line && finding.column].filter(Boolean).join(':');
  }

  function entry(finding) {
    var word = { error: 'Error', warning: 'Warning', info: 'Note' }[finding.severity];
    return make('li', { class: finding.severity }, [
      make('p', { class: 'what' }, [make('span', { class: 'severity' }, [word]), finding.message]),
      finding.hint && make('p', { class: 'hint' }, [finding.hint]),
      make('p', { class: 'where' }, [make('code', {}, [placeOf(finding)]), make('span', {}, [finding.code])]),
    ]);
  }

  function worstOf(findings) {
    return ['error', 'warning', 'info'].find(function (severity) {
      return findings.some(function (finding) {
        return finding.severity === severity;
      });
    });
  }

  function badge(findings) {
    if (lost)
      return make('p', { class: 'badge lost', role: 'status' }, [
        make('span', { class: 'dot' }),
        'Preview ended',
      ]);
    if (!findings.length) return undefined;
    var button = make(
      'button',
      { type: 'button', class: 'badge ' + worstOf(findings), 'aria-expanded': opened },
      [make('span', { class: 'dot' }), plural(findings.length, 'finding')],
    );
    button.addEventListener('click', function () {
      opened = !opened;
      draw(last);
    });
    return button;
  }

  function panel(findings) {
    if (!opened || !findings.length) return undefined;
    var close = make('button', { type: 'button', class: 'close', 'aria-label': 'Close' }, ['×']);
    close.addEventListener('click', function () {
      opened = false;
      draw(last);
      inside.querySelector('.badge').focus();
    });
    return make('section', { class: 'panel', 'aria-label': 'Findings of this page' }, [
      make('header', {}, [make('h2', {}, ['Findings']), close]),
      make('ul', { tabindex: '0', 'aria-label': 'Findings' }, findings.map(entry)),
    ]);
  }

  function banner(problem) {
    if (!problem) return undefined;
    return make('div', { class: 'banner', role: 'alert' }, [
      make('p', { class: 'title' }, ['The site is shown as it was before this mistake']),
      make('ul', {}, [entry(problem)]),
    ]);
  }

  function draw(state) {
    last = state;
    var focused = inside.activeElement && inside.activeElement.className.split(' ')[0];
    var list = inside.querySelector('.panel ul');
    var scrolled = list ? list.scrollTop : 0;
    box.replaceChildren.apply(
      box,
      [banner(state.problem), panel(state.findings), badge(state.findings)].filter(Boolean),
    );
    list = inside.querySelector('.panel ul');
    if (list) list.scrollTop = scrolled;
    var next = focused && inside.querySelector('.' + focused);
    if (next) next.focus();
  }

  var box = make('div', { class: 'corner' });
  inside.append(make('link', { rel: 'stylesheet', href: root + '_docyard/preview.css' }), box);
  inside.addEventListener('keydown', function (event) {
    if (event.key !== 'Escape' || !opened) return;
    opened = false;
    draw(last);
    var mark = inside.querySelector('.badge');
    if (mark) mark.focus();
  });
  document.documentElement.append(host);

  window.docyardPreview = {
    show: function (state) {
      lost = false;
      draw(state);
    },
    lose: function () {
      lost = true;
      draw(last);
    },
  };
})();
