/*
 * Shows the text of a model: paragraphs, lists, code and citations. Everything becomes text nodes, so HTML and
 * links of a model stay text. `link` makes the node of a citation, or returns undefined for an unknown number.
 */
(function () {
  'use strict';
  var search = window.docyardSearch;
  /* \x60 is a backtick. */
  var fence = /^\x60{3}/;
  var item = /^(?:[-*•]|(\d{1,3})[.)]) (.*)/;
  var heading = /^#{1,6} (.*)/;
  var inline = /(\x60[^\x60]{1,400}\x60|\*\*[^*]{1,400}\*\*|\[\d{1,3}\])/;

  search.answerNodes = function (text, link) {
    var blocks = [];
    var code;
    var list;
    var last;

    function block(name) {
      var node = document.createElement(name);
      if (name !== 'pre') node.dir = 'auto';
      blocks.push(node);
      return node;
    }

    function addItem(match) {
      var name = match[1] === undefined ? 'ul' : 'ol';
      if (!list || list.localName !== name) {
        list = block(name);
        if (match[1] > 1) list.start = Number(match[1]);
      }
      last = document.createElement('li');
      list.appendChild(last);
      addInline(last, match[2], link);
    }

    function addLine(line) {
      var match = item.exec(line);
      if (match) return addItem(match);
      match = heading.exec(line);
      if (match) {
        list = undefined;
        last = undefined;
        return addInline(block('p').appendChild(document.createElement('strong')), match[1], link);
      }
      if (last) last.append('\n');
      else {
        list = undefined;
        last = block('p');
      }
      addInline(last, line, link);
    }

    text.split('\n').forEach(function (raw) {
      var line = raw.trim();
      if (code && fence.test(line)) code = undefined;
      else if (code) code.append(code.firstChild ? '\n' + raw : raw);
      else if (fence.test(line)) {
        list = undefined;
        last = undefined;
        var frame = block('pre');
        frame.tabIndex = 0;
        code = frame.appendChild(document.createElement('code'));
      } else if (line === '') last = undefined;
      else addLine(line);
    });
    return blocks;
  };

  function addInline(parent, text, link) {
    text.split(inline).forEach(function (part, at) {
      if (at % 2 === 0) return parent.append(part);
      if (part[0] === '[') return parent.append(link(Number(part.slice(1, -1))) || part);
      var isCode = part[0] === '\x60';
      var node = document.createElement(isCode ? 'code' : 'strong');
      if (isCode) node.textContent = part.slice(1, -1);
      else addInline(node, part.slice(2, -2), link);
      parent.append(node);
    });
  }
})();
