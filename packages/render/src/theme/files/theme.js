/* Runs before the page is painted: applies the chosen appearance and marks that scripts run. */
(function () {
  var root = document.documentElement;
  var system = matchMedia('(prefers-color-scheme: dark)');
  root.classList.add('dy-js');
  if (!root.hasAttribute('data-strict-theme'))
    try {
      var chosen = localStorage.getItem('docyard-theme');
      if (chosen === 'light' || chosen === 'dark') root.setAttribute('data-theme', chosen);
    } catch {
      /* Storage may be disabled; then the site's default applies. */
    }

  /* Other scripts and authors' stylesheets read the appearance from a class. */
  function mark() {
    var theme = root.getAttribute('data-theme');
    var isDark = theme ? theme === 'dark' : system.matches;
    root.classList.toggle('dark', isDark);
    root.classList.toggle('light', !isDark);
  }
  mark();
  system.addEventListener('change', mark);
  new MutationObserver(mark).observe(root, { attributeFilter: ['data-theme'] });
})();
/* Preloads the font of plain text. From a folder, browsers refuse a preload, but not the font of a stylesheet. */
(function () {
  var font = document.currentScript.getAttribute('data-font');
  if (!font || location.protocol === 'file:') return;
  var link = document.createElement('link');
  link.rel = 'preload';
  link.as = 'font';
  link.crossOrigin = 'anonymous';
  link.href = font;
  document.head.append(link);
})();
/*
 * A page in several branches of the navigation shows the branch named by its address, else the one closest to
 * the reader's previous branch. The first branch is part of the page; another one is loaded as a script before
 * the page is painted.
 */
(function () {
  var root = document.documentElement;
  var names = (root.getAttribute('data-branches') || '').split(' ');
  if (!names[0]) return;
  var source = document.currentScript.src;
  var folder = source.slice(0, source.lastIndexOf('theme.js'));
  var address = new URL(location.href);
  var asked = address.searchParams.get('nav');
  var last = '';
  try {
    last = sessionStorage.getItem('docyard-branch') || '';
  } catch {
    /* Storage may be disabled; then only the address selects a branch. */
  }

  function isOwn(name) {
    return names.indexOf(name) >= 0;
  }

  /* Earlier steps of the reader's branch outweigh all later ones. */
  function nearest(candidates, reader) {
    var best;
    var bestScore = '';
    candidates.forEach(function (name) {
      var steps = name.split('_');
      var score = reader
        .split('_')
        .map(function (step) {
          return steps.indexOf(step) < 0 ? '0' : '1';
        })
        .join('');
      if (score > bestScore) {
        best = name;
        bestScore = score;
      }
    });
    return best;
  }

  var shown = [asked, (history.state || {}).docyardBranch].filter(isOwn)[0] || nearest(names, last);
  window.docyardNavigation = { names: names, shown: shown, nearest: nearest };
  try {
    sessionStorage.setItem('docyard-branch', shown);
    if (names.length > 1) {
      if (shown !== names[0]) address.searchParams.set('nav', shown);
      else if (asked === shown) address.searchParams.delete('nav');
      history.replaceState(Object.assign({}, history.state, { docyardBranch: shown }), '', address);
    }
  } catch {
    /* The branch is shown regardless. */
  }
  if (shown === names[0]) return;
  root.classList.add('branch-pending');
  document.write('<script src="' + folder + 'nav/branch-' + shown + '.js"></script>');
})();
