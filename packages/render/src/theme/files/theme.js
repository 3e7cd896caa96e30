/* Runs before the page is painted: applies the reader's choice of light or dark, and marks that scripts run. */
(function () {
  var root = document.documentElement;
  var system = matchMedia('(prefers-color-scheme: dark)');
  root.classList.add('js');
  if (!root.hasAttribute('data-strict-theme'))
    try {
      var chosen = localStorage.getItem('docyard-theme');
      if (chosen === 'light' || chosen === 'dark') root.setAttribute('data-theme', chosen);
    } catch {
      /* Storage may be switched off; then the site's own default holds. */
    }

  /* By a class the other scripts, and stylesheets and components of authors, know the appearance. */
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
