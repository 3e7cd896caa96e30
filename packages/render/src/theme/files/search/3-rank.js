/*
 * Answers a query: its words become index terms (exact, completed, corrected), section scores are summed by
 * page, and the best pages are loaded. It does not access the document.
 */
(function () {
  'use strict';
  var search = window.docyardSearch;
  /* Maximum shards loaded for completions and corrections of a single word; less with more words. */
  var extraShards = 3;
  /* No extra shards are loaded for a word that occurs in this many sections. */
  var plenty = 100;
  var expansions = 14;

  /**
   * Options: `scope` (index in the list of scopes, or -1 for all), `limit` (number of results), `isStale`
   * (returns true when the result is no longer needed; loading then stops), `partial` (also returns pages that lack
   * words, for whole questions). Returns `{ results, total, corrected, terms, words }`; a result is a page with its
   * best sections, and a word has the terms that match it and its rarity.
   */
  search.find = function (question, options) {
    var nothing = { results: [], total: 0, corrected: null, terms: new Set(), words: [] };
    var isStale = function () {
      return options.isStale && options.isStale();
    };
    return search.loadIndex().then(function (index) {
      var words = wordsOf(question);
      if (!words.length || !index.termStarts.length || isStale()) return nothing;
      return resolveWords(index, words).then(function () {
        if (isStale()) return nothing;
        var pages = rankPages(index, words, options);
        return withContents(index, pages.slice(0, options.limit), words, question).then(function (results) {
          return {
            results: results,
            total: pages.length,
            corrected: correction(words),
            terms: matchedTerms(words),
            words: words.map(function (word) {
              return { terms: matchedTerms([word]), rarity: rarityOf(index, word) };
            }),
          };
        });
      });
    });
  };

  function wordsOf(question) {
    var words = [];
    search.eachWord(question, function (terms, start, end) {
      words.push({
        text: question.slice(start, end),
        whole: terms.whole,
        parts: terms.parts.map(function (part) {
          return part.term;
        }),
        unspaced: Boolean(terms.unspaced),
        typed: search.fold(question.slice(start, end)).replace(/[^\p{L}\p{N}\p{M}+#]/gu, ''),
        last: false,
        candidates: [],
      });
    });
    var informative = words.filter(function (word) {
      return !word.whole || !search.isCommon(word.whole);
    });
    if (informative.length) words = informative;
    words = words.slice(0, 10);
    /* The last word is incomplete until another character follows it. */
    if (words.length && /[\p{L}\p{N}+#]$/u.test(question)) words[words.length - 1].last = true;
    return words;
  }

  /* Fills `candidates` of each word: weighted terms with loaded postings. */
  function resolveWords(index, words) {
    var starts = index.termStarts;
    var exactShards = new Set();
    words.forEach(function (word) {
      termsOf(word).forEach(function (term) {
        exactShards.add(search.shardOf(starts, term));
      });
    });
    return loadShards(exactShards).then(function (shards) {
      var room = { left: Math.max(0, extraShards + 1 - words.length) };
      words.forEach(function (word) {
        chooseCandidates(index, word, shards, room);
      });
      joinNeighbours(index, words, shards);
      var more = new Set();
      words.forEach(function (word) {
        word.candidates.forEach(function (candidate) {
          more.add(search.shardOf(starts, candidate.term));
        });
      });
      return loadShards(more).then(function (all) {
        words.forEach(function (word) {
          word.candidates = word.candidates.filter(function (candidate) {
            candidate.entry = all.get(search.shardOf(starts, candidate.term)).get(candidate.term);
            return candidate.entry;
          });
          word.partEntries = word.parts.map(function (term) {
            return all.get(search.shardOf(starts, term)) && all.get(search.shardOf(starts, term)).get(term);
          });
        });
      });
    });

    function loadShards(numbers) {
      var list = Array.from(numbers).concat(Array.from(exactShards));
      return Promise.all(list.map(search.loadTerms)).then(function (maps) {
        return new Map(
          list.map(function (number, at) {
            return [number, maps[at]];
          }),
        );
      });
    }
  }

  function termsOf(word) {
    return (word.whole ? [word.whole] : []).concat(word.parts);
  }

  function chooseCandidates(index, word, shards, room) {
    if (!word.whole) return;
    var starts = index.termStarts;
    var shard = shards.get(search.shardOf(starts, word.whole)) || new Map();
    var exact = shard.get(word.whole);
    if (exact) word.candidates.push({ term: word.whole, weight: 1, sections: exact.sections });
    var others = completions(index, word, shard);
    /* An exact term is the most likely intent. */
    if (exact)
      others.forEach(function (candidate) {
        candidate.weight *= isForm(word.whole, candidate.term) ? 0.9 : 0.5;
      });
    if (!exact && !others.length && word.whole.length > 3) {
      others = corrections(index, word, shard);
      word.corrected = others.length > 0;
    }
    others.sort(function (a, b) {
      return (
        b.weight * Math.log(2 + b.sections) - a.weight * Math.log(2 + a.sections) ||
        (a.term < b.term ? -1 : 1)
      );
    });
    others.slice(0, expansions).forEach(function (candidate) {
      var number = search.shardOf(starts, candidate.term);
      if (!shards.has(number)) {
        if (room.left === 0) return;
        if (exact && exact.sections >= plenty && !isFormOf(word, candidate.term)) return;
        room.left--;
        shards.set(number, null);
      }
      word.candidates.push(candidate);
    });
    shards.forEach(function (value, number) {
      if (value === null) shards.set(number, new Map());
    });
  }

  /* `deployment` and `deployed` are forms of `deploy`; `logout` is not a form of `logo`. */
  function isForm(term, longer) {
    return /^(?:e?d|ing|e?r|or|ment|ation|ion|able|al|ly)$/.test(longer.slice(term.length));
  }

  function isFormOf(word, term) {
    var stem = stemOf(word.whole);
    return isForm(word.whole, term) || Boolean(stem && isForm(stem, term));
  }

  /* Longer terms with this prefix; for a complete word only its other forms. */
  function completions(index, word, shard) {
    var prefixes = [word.typed];
    if (word.whole !== word.typed) prefixes.push(word.whole);
    if (!word.last && word.typed.length < 4) return [];
    var found = new Map();
    var consider = function (prefix, most, share) {
      var look = function (term, sections) {
        if (term === word.whole || term.length > prefix.length + most || !term.startsWith(prefix)) return;
        var weight = share * (0.5 + (0.5 * prefix.length) / term.length);
        var known = found.get(term);
        if (!known || known.weight < weight)
          found.set(term, { term: term, weight: weight, sections: sections });
      };
      fromVocabulary(index.vocabulary, prefix, look);
      shard.forEach(function (entry) {
        look(entry.term, entry.sections);
      });
    };
    prefixes.forEach(function (prefix) {
      if (word.unspaced && !word.last) return;
      consider(prefix, word.last ? 30 : 4, word.last ? 0.8 : 0.4);
    });
    var stem = stemOf(word.whole);
    if (stem) consider(stem, 5, 0.55);
    return Array.from(found.values());
  }

  function fromVocabulary(vocabulary, prefix, visit) {
    var at = placeIn(vocabulary, prefix);
    for (; at < vocabulary.length && vocabulary[at].term.startsWith(prefix); at++)
      visit(vocabulary[at].term, vocabulary[at].sections);
  }

  function inVocabulary(vocabulary, term) {
    var entry = vocabulary[placeIn(vocabulary, term)];
    return entry && entry.term === term ? entry : undefined;
  }

  /* The first term not less than the given one. */
  function placeIn(vocabulary, term) {
    var low = 0;
    var high = vocabulary.length;
    while (low < high) {
      var middle = (low + high) >> 1;
      if (vocabulary[middle].term < term) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /* `deploying` and `deployed` share the stem `deploy`. English only. */
  function stemOf(term) {
    var match = /^([a-z]{3,}?)(?:ing|ed|ation|ment|er|ion|e)$/.exec(term);
    if (!match || match[1].length < 4) return null;
    return match[1].replace(/([bdgmnprt])\1$/, '$1');
  }

  function corrections(index, word, shard) {
    var most = word.typed.length > 7 ? 2 : 1;
    var found = [];
    var look = function (entry) {
      var distance = editDistance(word.typed, entry.term, most, word.last);
      if (distance > most && word.whole !== word.typed)
        distance = editDistance(word.whole, entry.term, most, word.last);
      if (distance > most) return;
      var samePlace = entry.term.charAt(0) === word.typed.charAt(0) ? 1 : 0.75;
      found.push({
        term: entry.term,
        weight: (distance === 1 ? 0.6 : 0.35) * samePlace,
        sections: entry.sections,
        correction: true,
      });
    };
    index.vocabulary.forEach(look);
    shard.forEach(function (entry) {
      if (!/[\u0e00-\uffff]/.test(entry.term)) look(entry);
    });
    var unique = new Map();
    found.forEach(function (candidate) {
      unique.set(candidate.term, candidate);
    });
    var best = Array.from(unique.values());
    var closest = Math.max.apply(
      null,
      best.map(function (candidate) {
        return candidate.weight;
      }),
    );
    return best.filter(function (candidate) {
      return candidate.weight > closest * 0.7;
    });
  }

  /* Damerau–Levenshtein distance up to a limit. An unfinished word matches any prefix of the term. */
  function editDistance(typed, term, limit, unfinished) {
    if (term.length < typed.length - limit || (!unfinished && term.length > typed.length + limit))
      return limit + 1;
    var width = Math.min(term.length, typed.length + limit);
    var before = [];
    var above = [];
    var row = [];
    var column;
    for (column = 0; column <= width; column++) above[column] = column;
    for (var line = 1; line <= typed.length; line++) {
      row = [line];
      var least = line;
      for (column = 1; column <= width; column++) {
        var same = typed.charCodeAt(line - 1) === term.charCodeAt(column - 1);
        var value = Math.min(above[column] + 1, row[column - 1] + 1, above[column - 1] + (same ? 0 : 1));
        if (
          line > 1 &&
          column > 1 &&
          typed.charCodeAt(line - 1) === term.charCodeAt(column - 2) &&
          typed.charCodeAt(line - 2) === term.charCodeAt(column - 1)
        )
          value = Math.min(value, before[column - 2] + 1);
        row[column] = value;
        if (value < least) least = value;
      }
      if (least > limit) return limit + 1;
      before = above;
      above = row;
    }
    if (!unfinished) return term.length > width ? limit + 1 : row[term.length];
    return Math.min.apply(null, row.slice(Math.max(0, typed.length - limit)));
  }
  search.editDistance = editDistance;

  /* "front matter" also matches `frontmatter`, when the index has that term. */
  function joinNeighbours(index, words, shards) {
    for (var at = 0; at + 1 < words.length; at++) {
      var first = words[at];
      var second = words[at + 1];
      if (!first.whole || !second.whole || first.unspaced || second.unspaced) continue;
      var joined = first.typed + second.whole;
      var shard = shards.get(search.shardOf(index.termStarts, joined));
      var entry = (shard && shard.get(joined)) || inVocabulary(index.vocabulary, joined);
      if (!entry) continue;
      [first, second].forEach(function (word) {
        word.candidates.push({ term: joined, weight: 0.9, sections: entry.sections });
      });
    }
  }

  function rankPages(index, words, options) {
    var scope = options.scope;
    words.forEach(function (word) {
      scoreSections(index, word);
    });
    var inScope = index.scopeSets.map(function (set) {
      return scope < 0 || set.indexOf(scope) >= 0;
    });
    var pages = [];
    for (var page = 0; page < index.pageCount; page++) {
      if (!inScope[index.scopeSetOfPage[page]]) continue;
      var found = scorePage(page, index.firstSection[page], index.firstSection[page + 1], words);
      if (found) pages.push(found);
    }
    var most = pages.reduce(function (value, found) {
      return Math.max(value, found.matched);
    }, 0);
    var full = pages.filter(function (found) {
      return options.partial || found.matched >= most - 0.01;
    });
    if (full.length < 5 && !options.partial)
      full = pages.filter(function (found) {
        return found.matched >= most - 1.01 && found.matched > 0;
      });
    return full.toSorted(function (a, b) {
      return b.score - a.score || a.page - b.page;
    });
  }

  /* Per section, the best of the word's candidates, or the sum of its parts. */
  function scoreSections(index, word) {
    var scores = new Float32Array(index.sectionCount);
    var rarity = function (entry) {
      return Math.log(1 + index.sectionCount / entry.sections);
    };
    var exact = word.candidates.find(function (candidate) {
      return candidate.weight === 1;
    });
    /* A completion gains no weight from being rare. */
    var ceiling = word.candidates.reduce(function (least, candidate) {
      return Math.min(least, rarity(candidate.entry));
    }, Infinity);
    if (exact) ceiling = rarity(exact.entry);
    word.cut = false;
    word.candidates.forEach(function (candidate) {
      var factor = candidate.weight * Math.min(ceiling, rarity(candidate.entry));
      if (candidate.entry.cut) word.cut = true;
      search.eachPosting(candidate.entry, function (section, step) {
        var score = factor * search.weightOf(step);
        if (score > scores[section]) scores[section] = score;
      });
    });
    if (word.parts.length && word.partEntries.every(Boolean)) addParts(index, word, scores, rarity);
    word.scores = scores;
  }

  /* A word that the site lacks is the rarest. */
  function rarityOf(index, word) {
    var entries = word.candidates
      .map(function (candidate) {
        return candidate.entry;
      })
      .concat(word.partEntries.filter(Boolean));
    var most = entries.reduce(function (value, entry) {
      return Math.max(value, entry.sections);
    }, 1);
    return Math.log(1 + index.sectionCount / most);
  }

  function addParts(index, word, scores, rarity) {
    var sums = new Float32Array(index.sectionCount);
    var seen = new Uint8Array(index.sectionCount);
    word.partEntries.forEach(function (entry) {
      search.eachPosting(entry, function (section, step) {
        sums[section] += rarity(entry) * search.weightOf(step);
        seen[section]++;
      });
    });
    var share = (word.whole ? 0.7 : 1) / Math.sqrt(word.parts.length);
    for (var section = 0; section < sums.length; section++) {
      var complete = seen[section] === word.parts.length;
      if (!complete && (!word.unspaced || seen[section] * 3 < word.parts.length * 2)) continue;
      var score = sums[section] * share * (complete ? 1 : 0.4);
      if (score > scores[section]) scores[section] = score;
    }
  }

  function scorePage(page, from, to, words) {
    var matched = 0;
    var score = 0;
    var sums = [];
    for (var section = from; section < to; section++) sums.push(0);
    words.forEach(function (word) {
      var best = 0;
      for (var section = from; section < to; section++) {
        var value = word.scores[section];
        if (value > best) best = value;
        sums[section - from] += value;
      }
      if (best > 0) matched++;
      else if (word.cut) matched += 0.99;
      score += best;
    });
    if (score === 0) return null;
    var best = Math.max.apply(null, sums);
    var sections = sums
      .map(function (sum, at) {
        return { at: at, score: sum };
      })
      .filter(function (section) {
        return section.score >= best * 0.35;
      })
      .toSorted(function (a, b) {
        return b.score - a.score || a.at - b.at;
      });
    return { page: page, matched: matched, score: 0.7 * score + 0.6 * best, sections: sections };
  }

  /* Loads titles and excerpts of the best pages, and reranks by phrase matches found there. */
  function withContents(index, pages, words, question) {
    return Promise.all(
      pages.map(function (found) {
        var shard = search.shardOf(index.pageStarts, found.page);
        return search.loadPages(shard).then(function (entries) {
          return resultOf(index, found, entries[found.page - index.pageStarts[shard]], words, question);
        });
      }),
    ).then(function (results) {
      return results.toSorted(function (a, b) {
        return b.score - a.score || a.page - b.page;
      });
    });
  }

  function resultOf(index, found, entry, words, question) {
    var phrase = search
      .fold(question)
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
    var plain = function (text) {
      return ' ' + search.fold(text).replace(/[^\p{L}\p{N}]+/gu, ' ') + ' ';
    };
    var title = plain(entry[0]);
    var rest = title.trim().slice(phrase.length);
    var factor = 1;
    if (title.trim().startsWith(phrase) && !rest.includes(' ')) factor = rest === '' ? 1.7 : 1.5;
    else if (words.length > 1 && title.includes(' ' + phrase)) factor = 1.35;
    var sections = found.sections.map(function (section) {
      var content = entry[3][section.at];
      var boost = 1;
      if (words.length > 1 || words[0].unspaced) {
        if (plain(content[1]).includes(phrase)) boost = 1.2;
        else if (plain(content[2]).includes(phrase)) boost = 1.1;
      }
      return {
        id: content[0],
        title: content[1],
        text: content[2],
        score: section.score * boost,
        boost: boost,
      };
    });
    sections.sort(function (a, b) {
      return b.score - a.score;
    });
    return {
      page: found.page,
      title: entry[0],
      href: entry[1],
      trail: entry[2],
      scopes: index.scopeSets[index.scopeSetOfPage[found.page]],
      sections: sections,
      score: found.score * Math.max(factor, sections[0].boost),
    };
  }

  function matchedTerms(words) {
    var terms = new Set();
    words.forEach(function (word) {
      termsOf(word).forEach(function (term) {
        terms.add(term);
      });
      word.candidates.forEach(function (candidate) {
        terms.add(candidate.term);
      });
    });
    return terms;
  }

  /* The corrected query, or null without corrections. */
  function correction(words) {
    if (
      !words.some(function (word) {
        return word.corrected;
      })
    )
      return null;
    return words
      .map(function (word) {
        return word.corrected && word.candidates[0] ? word.candidates[0].term : word.text;
      })
      .join(' ');
  }

  /* Terms nearest to a query without results; each has results. */
  search.suggest = function (question, scope) {
    return search.loadIndex().then(function (index) {
      var found = [];
      wordsOf(question).forEach(function (word) {
        if (word.unspaced || word.typed.length < 3) return;
        index.vocabulary.forEach(function (entry) {
          var distance = editDistance(word.typed, entry.term, 3, true);
          var share = distance / word.typed.length;
          if (distance <= 3 && share < 0.5)
            found.push({ term: entry.term, rank: share - Math.log(1 + entry.sections) / 40 });
        });
      });
      found.sort(function (a, b) {
        return a.rank - b.rank;
      });
      return Promise.all(
        found.slice(0, 5).map(function (item) {
          return search.find(item.term, { scope: scope, limit: 0 }).then(function (answer) {
            return answer.total ? item.term : null;
          });
        }),
      ).then(function (terms) {
        return terms.filter(Boolean).slice(0, 4);
      });
    });
  };

  /* Ranges of a text to highlight: `[from, to]`, in order. */
  search.marksIn = function (text, terms) {
    var marks = [];
    search.eachWord(text, function (word, start, end) {
      if (word.whole && terms.has(word.whole)) return marks.push([start, end]);
      word.parts.forEach(function (part) {
        if (!terms.has(part.term)) return;
        var last = marks[marks.length - 1];
        if (last && last[1] >= start + part.from) last[1] = start + part.to;
        else marks.push([start + part.from, start + part.to]);
      });
    });
    return marks;
  };
})();
