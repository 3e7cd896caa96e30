/*
 * Applies an edit in place and keeps the scroll position. It runs before the scripts of the page, and runs those
 * again on the new content.
 */
(function () {
  'use strict';
  var script = document.currentScript;
  var root = script.src.replace(/_docyard\/preview\.js[^]*/, '');
  var page = script.getAttribute('data-page');
  var version = script.getAttribute('data-version');
  var native = EventTarget.prototype.addEventListener;
  var listeners = [];
  var head = headOf(document);
  var tree = treeOf(document);
  var refill = false;
  var updating = false;
  var again = false;
  var stamp = 0;

  /* Listeners of page scripts on the document: removed before the scripts run again, or each would act twice. */
  function track(target) {
    target.addEventListener = function (type, listener, options) {
      listeners.push([target, type, listener, options]);
      native.call(target, type, listener, options);
    };
    return target;
  }

  function forgetListeners() {
    listeners.splice(0).forEach(function (entry) {
      entry[0].removeEventListener(entry[1], entry[2], entry[3]);
    });
  }

  track(window);
  track(document);
  var match = window.matchMedia;
  window.matchMedia = function (query) {
    return track(match.call(window, query));
  };

  /* A page with another policy, script or stylesheet needs a full reload. */
  function headOf(from) {
    var parts = from.querySelectorAll('meta[http-equiv], script[src][defer], link[rel="stylesheet"]');
    return Array.prototype.map
      .call(parts, function (part) {
        return part.content || (part.getAttribute('src') || part.getAttribute('href')).replace(/\?.*/, '');
      })
      .join('\n');
  }

  function update() {
    if (updating) {
      again = true;
      return;
    }
    updating = true;
    void fetch(location.href.replace(/#.*/, ''), { headers: { Accept: 'text/html' }, cache: 'no-cache' })
      .then(function (answer) {
        return answer.text();
      })
      .then(function (html) {
        var fresh = new DOMParser().parseFromString(html, 'text/html');
        var own = fresh.querySelector('script[data-version]');
        if (!own || headOf(fresh) !== head) return location.reload();
        version = own.getAttribute('data-version');
        return show(fresh);
      })
      .catch(function () {
        /* The preview has ended or is busy; the event stream reports when it is back. */
      })
      .then(function () {
        updating = false;
        if (again) {
          again = false;
          update();
        }
      });
  }

  function show(fresh) {
    var before = placesOf();
    var hash = location.hash;
    forgetListeners();
    document.title = fresh.title;
    takeAttributes(fresh.documentElement);
    var body = document.adoptNode(fresh.body);
    keepTree(body);
    document.body.replaceWith(body);
    goTo(before);
    /* With a hash the scripts would scroll to that heading again. */
    if (hash) history.replaceState(history.state, '', location.pathname + location.search);
    return runScripts(fresh).then(function () {
      if (hash) history.replaceState(history.state, '', location.pathname + location.search + hash);
      goTo(before);
    });
  }

  function takeAttributes(from) {
    var element = document.documentElement;
    var theme = element.getAttribute('data-theme');
    Array.prototype.forEach.call(from.attributes, function (attribute) {
      element.setAttribute(attribute.name, attribute.value);
    });
    element.className = 'dy-js';
    if (theme) element.setAttribute('data-theme', theme);
  }

  /* The part of a large sidebar that a page contains; its script fills in the rest. */
  function treeOf(from) {
    var tree = from.querySelector('.dy-nav-tree');
    var parts = tree && tree.getAttribute('data-nav-parts');
    return (
      tree && {
        source: parts || tree.getAttribute('data-nav'),
        inParts: Boolean(parts),
        html: tree.innerHTML,
      }
    );
  }

  /* A filled tree is kept while the page's own part is unchanged, else until it is filled again. */
  function keepTree(body) {
    var before = tree;
    tree = treeOf(body);
    var next = body.querySelector('.dy-nav-tree');
    var shown = document.querySelector('.dy-nav-tree');
    if (!next || !shown || before.source !== tree.source) return;
    /* Opened groups may contain other names now. */
    if (tree.inParts && refill) {
      refill = false;
      return;
    }
    var known = {};
    shown.querySelectorAll('a[href]').forEach(function (link) {
      known[link.href] = link;
    });
    var own = Array.prototype.slice.call(
      next.querySelectorAll('li:not(.dy-nav-rest) > a[href]:not(.dy-nav-label)'),
    );
    var isFilled = own.every(function (link) {
      return known[link.href];
    });
    if (!isFilled || shown.innerHTML.length <= tree.html.length) return;
    if (before.html === tree.html && !refill) next.removeAttribute('data-nav');
    refill = false;
    own.forEach(function (link) {
      var old = known[link.href];
      if (old.innerHTML !== link.innerHTML) old.innerHTML = link.innerHTML;
    });
    next.replaceChildren.apply(next, Array.prototype.slice.call(shown.childNodes));
  }

  var scrolling = ['.dy-site-sidebar', '.dy-site-contents'];

  function placesOf() {
    return {
      x: scrollX,
      y: scrollY,
      inner: scrolling.map(function (selector) {
        var box = document.querySelector(selector);
        return box ? box.scrollTop : 0;
      }),
      open: foldsOf().map(function (fold) {
        return fold.open;
      }),
    };
  }

  function foldsOf() {
    return Array.prototype.slice.call(document.querySelectorAll('main details:not(.dy-contents-fold)'));
  }

  function goTo(place) {
    var folds = foldsOf();
    if (folds.length === place.open.length)
      folds.forEach(function (fold, at) {
        fold.open = place.open[at];
      });
    scrolling.forEach(function (selector, at) {
      var box = document.querySelector(selector);
      if (box) box.scrollTop = place.inner[at];
    });
    scrollTo({ left: place.x, top: place.y, behavior: 'instant' });
  }

  function runScripts(fresh) {
    var sources = fresh.querySelectorAll('head script[src][defer]:not([data-version])');
    return Promise.all(
      Array.prototype.map.call(sources, function (source) {
        return runScript(source.getAttribute('src'));
      }),
    );
  }

  function runScript(address) {
    return new Promise(function (done) {
      var script = document.createElement('script');
      script.src = address;
      script.async = false;
      whenSettled(script, function () {
        script.remove();
        done();
      });
      document.head.appendChild(script);
    });
  }

  function whenSettled(element, then) {
    element.addEventListener('load', then);
    element.addEventListener('error', then);
  }

  /* Reloads stylesheets and images with new content. */
  function refresh(files) {
    var addresses = files.map(function (file) {
      return new URL(file.split('/').map(encodeURIComponent).join('/'), root).pathname;
    });
    stamp += 1;
    document
      .querySelectorAll('link[rel="stylesheet"], img[src], source[src], video[src]')
      .forEach(function (part) {
        var name = part.href === undefined ? 'src' : 'href';
        var path = new URL(part[name], location.href).pathname;
        if (addresses.indexOf(path) < 0) return;
        var next = path + '?' + Date.now() + '-' + stamp;
        if (name === 'src') part.src = next;
        else restyle(part, next);
      });
  }

  /* The old stylesheet is removed after the new one has loaded, so that the page is never unstyled. */
  function restyle(link, address) {
    var next = link.cloneNode();
    next.href = address;
    whenSettled(next, function () {
      link.remove();
    });
    link.after(next);
  }

  function listen() {
    var stream = new EventSource(root + '_docyard/preview/events?page=' + page);
    native.call(stream, 'message', function (event) {
      var state = JSON.parse(event.data);
      docyardPreview.show(state);
      if (state.version === '' && version === '') return;
      if (state.version === '' || version === '') location.reload();
      else if (state.version !== version) update();
      else if (state.reloaded && tree) {
        /* Titles of other pages may have changed; only the script of the tree loads them. */
        refill = true;
        update();
      }
      refresh(state.files);
    });
    native.call(stream, 'error', docyardPreview.lose);
  }

  listen();
})();
