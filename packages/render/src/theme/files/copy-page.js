/*
 * Converts the page's content to Markdown, including snippets, variables and tabs. It sends no request, so it
 * also works from disk.
 */
(function () {
  'use strict';

  function text(node) {
    return node.textContent.replace(/\s+/g, ' ');
  }

  function isLeftOut(node) {
    return (
      node.matches(
        '.dy-anchor, .dy-copy-button, .dy-expand-button, [role="tablist"], script, style, svg, button, [hidden]',
      ) || node.getAttribute('aria-hidden') === 'true'
    );
  }

  function inline(node) {
    return Array.prototype.map
      .call(node.childNodes, function (child) {
        if (child.nodeType === 3) return child.data.replace(/\s+/g, ' ');
        if (child.nodeType !== 1 || isLeftOut(child)) return '';
        switch (child.tagName) {
          case 'CODE':
          case 'KBD':
            return '`' + child.textContent + '`';
          case 'STRONG':
          case 'B':
            return '**' + inline(child).trim() + '**';
          case 'EM':
          case 'I':
            return '*' + inline(child).trim() + '*';
          case 'BR':
            return '  \n';
          case 'IMG':
            return '![' + child.alt + '](' + child.src + ')';
          case 'A':
            return child.href ? '[' + inline(child).trim() + '](' + child.href + ')' : inline(child);
          default:
            return inline(child);
        }
      })
      .join('');
  }

  function indented(markdown, first) {
    var space = ' '.repeat(first.length);
    return markdown
      .trim()
      .split('\n')
      .map(function (line, index) {
        return (index ? (line ? space : '') : first) + line;
      })
      .join('\n');
  }

  function list(node) {
    return Array.prototype.map
      .call(node.children, function (item, index) {
        var mark = node.tagName === 'OL' ? index + (node.start || 1) + '. ' : '- ';
        return indented(blocks(item), mark);
      })
      .join('\n');
  }

  function table(node) {
    var rows = Array.prototype.map.call(node.rows, function (row) {
      return Array.prototype.map.call(row.cells, function (cell) {
        return inline(cell).trim().replace(/\|/g, '\\|');
      });
    });
    if (!rows.length) return '';
    var line = function (cells) {
      return '| ' + cells.join(' | ') + ' |';
    };
    var rule = rows[0].map(function () {
      return '---';
    });
    return [line(rows[0]), line(rule)].concat(rows.slice(1).map(line)).join('\n');
  }

  function code(node) {
    var content = (node.querySelector('code') || node).textContent.replace(/\n$/, '');
    var language = node.getAttribute('data-language') || '';
    var fence = /```/.test(content) ? '````' : '```';
    return fence + language + '\n' + content + '\n' + fence;
  }

  function quoted(markdown) {
    return markdown
      .trim()
      .split('\n')
      .map(function (line) {
        return line ? '> ' + line : '>';
      })
      .join('\n');
  }

  var phrasing = /^(A|ABBR|B|BR|CODE|EM|I|IMG|KBD|MARK|S|SMALL|SPAN|STRONG|SUB|SUP|TIME|U)$/;

  function block(node) {
    var heading = /^H([1-6])$/.exec(node.tagName);
    if (heading) return '#'.repeat(Number(heading[1])) + ' ' + inline(node).trim();
    if (node.matches('.dy-callout')) return quoted(blocks(node));
    switch (node.tagName) {
      case 'P':
      case 'DT':
      case 'SUMMARY':
        return inline(node).trim();
      case 'UL':
      case 'OL':
        return list(node);
      case 'TABLE':
        return table(node);
      case 'PRE':
        return code(node);
      case 'BLOCKQUOTE':
        return quoted(blocks(node));
      case 'HR':
        return '---';
      default:
        if (node.matches('.dy-code')) return code(node);
        return blocks(node);
    }
  }

  function blocks(node) {
    var parts = [];
    var run = '';
    var flush = function () {
      if (run.trim()) parts.push(run.trim());
      run = '';
    };
    Array.prototype.forEach.call(node.childNodes, function (child) {
      if (child.nodeType === 3) run += child.data.replace(/\s+/g, ' ');
      else if (child.nodeType === 1 && !isLeftOut(child)) {
        if (phrasing.test(child.tagName) && !child.querySelector('p, div, ul, ol, pre, table')) {
          var holder = document.createElement('span');
          holder.appendChild(child.cloneNode(true));
          run += inline(holder);
        } else {
          flush();
          var made = block(child);
          if (made.trim()) parts.push(made);
        }
      }
    });
    flush();
    return parts.join('\n\n');
  }

  docyard.pageMarkdown = function () {
    var title = document.querySelector('h1');
    var lead = document.querySelector('.dy-lead');
    return [
      title ? '# ' + text(title).trim() : '',
      lead ? '> ' + text(lead).trim() : '',
      blocks(document.querySelector('.dy-content')),
    ]
      .filter(Boolean)
      .join('\n\n')
      .concat('\n');
  };
})();
