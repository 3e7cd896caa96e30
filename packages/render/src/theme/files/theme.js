/* Runs before the page is painted: applies the reader's choice of light or dark, and marks that scripts run. */
(function () {
  var root = document.documentElement;
  root.classList.add('js');
  if (root.hasAttribute('data-strict-theme')) return;
  try {
    var chosen = localStorage.getItem('docyard-theme');
    if (chosen === 'light' || chosen === 'dark') root.setAttribute('data-theme', chosen);
  } catch {
    /* Storage may be switched off; then the site's own default holds. */
  }
})();
