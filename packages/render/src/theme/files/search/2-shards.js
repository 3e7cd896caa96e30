/*
 * Loads the index files. Each is a classic script that passes its data to the global function, because that
 * also works from disk. search/build.ts documents the format.
 */
(function () {
  'use strict';
  var search = window.docyardSearch;
  var valueOf91 = search.valueOf91;
  var waiting = {};
  var loaded = {};

  search.receive = function (name, data) {
    if (waiting[name]) waiting[name](data);
  };

  /* Tests replace this function, because they have no document. */
  search.fetchShard = function (name) {
    return new Promise(function (resolve, reject) {
      waiting[name] = resolve;
      var script = document.createElement('script');
      script.src = search.folder + name + '.js';
      script.addEventListener('error', reject);
      script.addEventListener('load', function () {
        script.remove();
      });
      document.head.appendChild(script);
    });
  };

  function load(name, read) {
    loaded[name] =
      loaded[name] ||
      search.fetchShard(name).then(read, function (error) {
        delete loaded[name];
        throw error;
      });
    return loaded[name];
  }

  search.loadIndex = function () {
    return load('index', readIndex);
  };

  search.loadTerms = function (shard) {
    return load('t' + shard, readTerms);
  };

  search.loadPages = function (shard) {
    return load('p' + shard, function (pages) {
      return pages;
    });
  };

  function readIndex(data) {
    var pageCount = data.sections.length;
    var firstSection = new Uint32Array(pageCount + 1);
    for (var page = 0; page < pageCount; page++)
      firstSection[page + 1] = firstSection[page] + valueOf91[data.sections.charCodeAt(page)];
    var scopeSets = new Uint16Array(pageCount);
    var at = 0;
    data.pageScopes.forEach(function (run) {
      scopeSets.fill(run[0], at, at + run[1]);
      at += run[1];
    });
    return {
      pageCount: pageCount,
      firstSection: firstSection,
      sectionCount: firstSection[pageCount],
      scopes: data.scopes,
      scopeSets: data.scopeSets,
      scopeSetOfPage: scopeSets,
      termStarts: data.terms === '' ? [] : data.terms.split(' '),
      pageStarts: readStarts(data.pages),
      vocabulary: readVocabulary(data.vocabulary, data.frequencies),
      starts: data.starts,
    };
  }

  /* Pages per shard, one digit each; 90 means that the next digit is added. */
  function readStarts(counts) {
    var starts = [];
    var start = 0;
    for (var at = 0; at < counts.length; at++) {
      starts.push(start);
      for (; valueOf91[counts.charCodeAt(at)] === 90; at++) start += 90;
      start += valueOf91[counts.charCodeAt(at)];
    }
    return starts;
  }

  function readVocabulary(text, frequencies) {
    var previous = '';
    return (text.match(/[A-Z][^A-Z]+/g) || []).map(function (entry, at) {
      previous = previous.slice(0, entry.charCodeAt(0) - 65) + entry.slice(1);
      return { term: previous, sections: Math.pow(2, valueOf91[frequencies.charCodeAt(at)] / 2) };
    });
  }

  /* Postings stay encoded until a term is requested. */
  function readTerms(text) {
    var terms = new Map();
    var previous = '';
    text.split('\n').forEach(function (line) {
      var fields = line.split(' ');
      previous = previous.slice(0, valueOf91[fields[0].charCodeAt(0)]) + fields[0].slice(1);
      terms.set(previous, {
        term: previous,
        gaps: fields[1],
        steps: fields[2],
        sections: fields[3] ? Number(fields[3]) : fields[2].length,
        cut: fields.length > 3,
      });
    });
    return terms;
  }

  search.eachPosting = function (entry, visit) {
    var gaps = entry.gaps;
    var section = -1;
    for (var at = 0, index = 0; at < gaps.length; index++) {
      var gap = valueOf91[gaps.charCodeAt(at++)];
      if (gap === 90) {
        gap = 0;
        for (var end = at + 4; at < end; at++) gap = gap * 91 + valueOf91[gaps.charCodeAt(at)];
      } else if (gap >= 60) gap = 60 + (gap - 60) * 91 + valueOf91[gaps.charCodeAt(at++)];
      section += gap + 1;
      visit(section, valueOf91[entry.steps.charCodeAt(index)]);
    }
  };

  /* The last shard that starts at or before a value. */
  search.shardOf = function (starts, value) {
    var low = 0;
    var high = starts.length - 1;
    while (low < high) {
      var middle = (low + high + 1) >> 1;
      if (starts[middle] <= value) low = middle;
      else high = middle - 1;
    }
    return low;
  };
})();
