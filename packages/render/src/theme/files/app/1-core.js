/* Functions shared by the other parts. A page works without any of the scripts. */
window.docyard = {
  all: function (selector, from) {
    return Array.prototype.slice.call((from || document).querySelectorAll(selector));
  },
  /* Runs for the content of the page and for content added later. */
  forContent: function (work) {
    docyard.works.push(work);
    work(document);
  },
  wire: function (root) {
    docyard.works.forEach(function (work) {
      work(root);
    });
  },
  works: [],
  /* Style hooks use ids that the content of a page may have too. */
  giveId: function (node, id) {
    if (!document.getElementById(id)) node.id = id;
  },
  icon: function (shape) {
    return (
      '<svg class="dy-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" ' +
      'stroke-linejoin="round" aria-hidden="true">' +
      shape +
      '</svg>'
    );
  },
  /* An id that is not valid percent-encoding is used literally. */
  idIn: function (hash) {
    var text = hash.replace(/^#/, '');
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  },
  load: function (src, then, failed) {
    var script = document.createElement('script');
    script.src = src;
    if (then) script.addEventListener('load', then);
    if (failed) script.addEventListener('error', failed);
    document.head.appendChild(script);
  },
  remember: function (key, value) {
    try {
      localStorage.setItem('docyard-' + key, value);
    } catch {
      /* Storage may be disabled; the choice then lasts for this page. */
    }
  },
  recall: function (key) {
    try {
      return localStorage.getItem('docyard-' + key);
    } catch {
      return null;
    }
  },
};
