/*
 * Tokenization, shared by the index builder and the search in the browser so that both agree. Everything is
 * attached to one global function, which the index files call.
 */
(function () {
  'use strict';
  var search = (window.docyardSearch = function (name, data) {
    search.receive(name, data);
  });

  /* Digits of numbers in the index: printable and safe in a template literal. */
  var digits = '';
  for (var code = 33; code < 127; code++) {
    var sign = String.fromCharCode(code);
    if ('`\\$'.indexOf(sign) < 0) digits += sign;
  }
  search.digits = digits;
  search.valueOf91 = new Uint8Array(128);
  for (var at = 0; at < digits.length; at++) search.valueOf91[digits.charCodeAt(at)] = at;

  /* A token without spaces: a word, or an identifier such as `user.name`, `max_tokens` or `C++`. */
  var pieces =
    /[A-Za-z](?:\+\+|#)(?![\p{L}\p{N}])|[\p{L}\p{N}][\p{L}\p{N}\p{M}_]*(?:['’.\-/:@][\p{L}\p{N}][\p{L}\p{N}\p{M}_]*)*/gu;
  /* A faster equivalent for text in Latin letters. */
  var latinOnly = /^[\x00-\u024f\u2010-\u203f\u2190-\u23ff\u2500-\u2775]*$/;
  var latinPieces =
    /[A-Za-z](?:\+\+|#)(?![A-Za-z0-9\xaa\xb2\xb3\xb5\xb9\xba\xbc-\xbe\xc0-\xd6\xd8-\xf6\xf8-\u024f])|[A-Za-z0-9\xaa\xb2\xb3\xb5\xb9\xba\xbc-\xbe\xc0-\xd6\xd8-\xf6\xf8-\u024f][\w\xaa\xb2\xb3\xb5\xb9\xba\xbc-\xbe\xc0-\xd6\xd8-\xf6\xf8-\u024f]*(?:['’.\-/:@][A-Za-z0-9\xaa\xb2\xb3\xb5\xb9\xba\xbc-\xbe\xc0-\xd6\xd8-\xf6\xf8-\u024f][\w\xaa\xb2\xb3\xb5\xb9\xba\xbc-\xbe\xc0-\xd6\xd8-\xf6\xf8-\u024f]*)*/g;
  /* Scripts without spaces, and Korean, whose endings vary, are split into bigrams. */
  var unspaced =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]+/gu;
  /* The words inside an identifier: `getHTTPResponse_v2` contains get, HTTP, Response and v2. */
  var parts =
    /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})[\p{N}\p{M}]*|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+|\p{Lu}+[\p{N}\p{M}]*/gu;
  /* A faster equivalent for ASCII. */
  var asciiParts = /[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z0-9]+|[A-Z]+[0-9]*/g;
  var marks = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g;
  var letters = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ł: 'l', ı: 'i', þ: 'th', ð: 'd' };
  var longest = 40;

  /* Lower case, without accents. */
  function fold(text) {
    var lower = text.toLowerCase();
    if (/^[\x00-\x7f\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]*$/.test(lower)) return lower;
    return lower
      .normalize('NFKD')
      .replace(marks, '')
      .normalize('NFC')
      .replace(/[ßæœøđłıþð]/g, function (letter) {
        return letters[letter];
      });
  }

  /* Removes plain plural endings. Errors are harmless because both sides apply the same rule. */
  function singular(term) {
    if (!term.endsWith('s') || term.length < 4) return term;
    if (!/[a-z]s$/.test(term) || /(?:ss|us|(?<!ap)is)$/.test(term)) return term;
    if (term.endsWith('ies') && term.length > 4) return term.slice(0, -3) + 'y';
    if (/(?:ss|x|sh)es$/.test(term)) return term.slice(0, -2);
    return term.slice(0, -1);
  }

  function termOf(text) {
    return singular(fold(text));
  }

  /*
   * The terms of a token: `whole` is the token without punctuation, `parts` are the words inside when there are
   * several; `from` and `to` are offsets into the token.
   */
  function wordTerms(piece) {
    /* Fast path for plain words. */
    if (piece.length <= longest && /^[A-Za-z]?[a-z]+$/.test(piece))
      return withKeys(singular(piece.toLowerCase()), [], false);
    var found = [];
    var isAscii = /^[\x00-\x7f]*$/.test(piece);
    var pattern = isAscii ? asciiParts : parts;
    pattern.lastIndex = 0;
    for (var match = pattern.exec(piece); match; match = pattern.exec(piece))
      found.push({ term: termOf(match[0]), from: match.index, to: match.index + match[0].length });
    var joined = piece.replace(isAscii ? /[^A-Za-z0-9+#]/g : /[^\p{L}\p{N}\p{M}+#]/gu, '');
    var whole = found.length <= 5 && joined.length <= longest ? termOf(joined) : null;
    if (found.length < 2) return whole ? withKeys(whole, [], false) : null;
    var inner = found.filter(function (part) {
      return part.to - part.from > 1 && part.to - part.from <= longest;
    });
    return whole || inner.length ? withKeys(whole, inner, false) : null;
  }

  function pairTerms(run) {
    var plain = !/[\ud800-\udfff]/.test(run) && fold(run) === run;
    var signs = plain ? run : Array.from(run);
    if (signs.length === 1) return withKeys(fold(run), [], true);
    var pairs = [];
    for (var at = 0, offset = 0; at + 1 < signs.length; at++) {
      var pair = signs[at] + signs[at + 1];
      pairs.push({ term: plain ? pair : fold(pair), from: offset, to: offset + pair.length });
      offset += signs[at].length;
    }
    if (pairs.length === 1) return withKeys(pairs[0].term, [], true);
    return withKeys(null, pairs, true);
  }

  /* One object per term, so that commonness is computed once. */
  var keys = new Map();
  var known = new Map();

  function keyOf(term) {
    var key = keys.get(term);
    if (!key) {
      key = { text: term, common: term.length < 6 && common.has(term) };
      keys.set(term, key);
    }
    return key;
  }

  function withKeys(whole, parts, unspaced) {
    var all = whole ? [keyOf(whole)] : [];
    for (var at = 0; at < parts.length; at++) all.push(keyOf(parts[at].term));
    return { whole: whole, parts: parts, unspaced: unspaced, keys: all };
  }

  /* The index builder calls this between two pages. */
  search.forgetWords = function (most) {
    if (known.size + keys.size < most) return false;
    known.clear();
    keys.clear();
    return true;
  };

  function termsOfPiece(piece) {
    var terms = known.get(piece);
    if (terms === undefined) {
      terms = wordTerms(piece);
      known.set(piece, terms);
    }
    return terms;
  }

  /* Character classes: 1 starts and continues a token, 2 only continues it, 3 may join two tokens. */
  var kinds = new Uint8Array(128);
  for (var ascii = 0; ascii < 128; ascii++) {
    var letter = String.fromCharCode(ascii);
    if (/[A-Za-z0-9]/.test(letter)) kinds[ascii] = 1;
    else if (letter === '_') kinds[ascii] = 2;
    else if (/['.\-/:@+#]/.test(letter)) kinds[ascii] = 3;
  }

  /*
   * The end of a plain token, or 0 when only the patterns can decide: at non-ASCII letters and joining
   * characters.
   */
  function plainEnd(text, start) {
    var end = start;
    var kind = 1;
    while (kind === 1 || kind === 2) {
      var code = text.charCodeAt(++end);
      /* At the end of the text the code is NaN. */
      if (code > 127) return 0;
      kind = kinds[code];
    }
    if (kind !== 3) return end;
    var sign = text.charCodeAt(end);
    if (sign === 43 || sign === 35) return 0;
    var next = text.charCodeAt(end + 1);
    return next > 127 || kinds[next] === 1 ? 0 : end;
  }

  function each(text, visit) {
    /* Kept outside of the loop so that `visit` may tokenize recursively. */
    var place = 0;
    var latin = latinOnly.test(text);
    var pattern = latin ? latinPieces : pieces;
    for (;;) {
      var code = text.charCodeAt(place);
      while (code < 128 && kinds[code] !== 1) code = text.charCodeAt(++place);
      /* Fast path for plain words. */
      var end = code < 128 ? plainEnd(text, place) : 0;
      if (end > 0) {
        var plain = termsOfPiece(text.slice(place, end));
        var start = place;
        place = end;
        if (plain) visit(plain, start, end);
        continue;
      }
      pattern.lastIndex = place;
      var match = pattern.exec(text);
      if (!match) return;
      place = pattern.lastIndex;
      var piece = match[0];
      if (!latin && /[\u0e00-\u1fff\u2e80-\uffff]/.test(piece)) eachRun(piece, match.index, visit);
      else {
        var terms = termsOfPiece(piece);
        if (terms) visit(terms, match.index, place);
      }
    }
  }

  function eachRun(piece, start, visit) {
    var last = 0;
    var plain = function (to) {
      var rest = piece.slice(last, to);
      var lead = /^[^\p{L}\p{N}]*/u.exec(rest)[0].length;
      var terms = rest.length > lead ? termsOfPiece(rest.slice(lead)) : null;
      if (terms) visit(terms, start + last + lead, start + to);
    };
    for (;;) {
      unspaced.lastIndex = last;
      var match = unspaced.exec(piece);
      if (!match) break;
      plain(match.index);
      last = match.index + match[0].length;
      visit(pairTerms(match[0]), start + match.index, start + last);
    }
    plain(piece.length);
  }

  var stepWidth = Math.log(1.09);

  /* Quantizes a weight to 91 logarithmic steps. */
  search.stepOf = function (weight) {
    return Math.max(0, Math.min(90, Math.round(Math.log(weight * 20) / stepWidth)));
  };
  search.weightOf = function (step) {
    return 0.05 * Math.pow(1.09, step);
  };

  search.fold = fold;
  search.wordTerms = wordTerms;
  search.eachWord = each;

  /* Stop words, ignored when the query has other words. */
  search.isCommon = function (term) {
    return common.has(term);
  };
  var common = new Set(
    (
      'a an and are as at be but by can do does for from has have how i if in into is it its my no not of on or our so ' +
      'that the their then there these they this to was we what when where which will with you your'
    ).split(' '),
  );
})();
