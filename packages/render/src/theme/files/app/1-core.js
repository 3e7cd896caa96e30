/* Everything a page does beyond being read. Each part leaves a page without it complete; this one holds what they share. */
window.docyard = {
  all: function (selector, from) {
    return Array.prototype.slice.call((from || document).querySelectorAll(selector));
  },
  /* Does something for the content of the page, and for whatever is added to it later. */
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
  /* Stylesheets of authors know parts by ids, which the content of a page may have as well. */
  giveId: function (node, id) {
    if (!document.getElementById(id)) node.id = id;
  },
  /* The id that a fragment names. Ids such as `100%` are no percent-encoding and mean themselves. */
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
      /* Storage may be switched off; the choice then lasts for this page. */
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
