/* The request form, part 1 of 4: builds the request and the cURL command. */
(function () {
  'use strict';

  function encode(text) {
    return encodeURIComponent(text);
  }

  /* Lists and objects are entered as JSON, lists also comma-separated. */
  function valueOf(field, text) {
    if (/^\s*[[{]/.test(text)) {
      try {
        return JSON.parse(text);
      } catch {
        return text;
      }
    }
    if (!/\[\]|^array/.test(field.type)) return text;
    return text.split(',').map(function (part) {
      return part.trim();
    });
  }

  function plain(value) {
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
  }

  function entriesOf(value) {
    return Object.keys(value).map(function (key) {
      return [key, plain(value[key])];
    });
  }

  function queryPairs(field, text) {
    var value = valueOf(field, text);
    var name = encode(field.name);
    if (Array.isArray(value)) {
      var parts = value.map(function (item) {
        return encode(plain(item));
      });
      if (field.explode)
        return parts.map(function (part) {
          return name + '=' + part;
        });
      var between = { spaceDelimited: '%20', pipeDelimited: '|' }[field.style] || ',';
      return [name + '=' + parts.join(between)];
    }
    if (typeof value !== 'object' || value === null) return [name + '=' + encode(text)];
    if (field.style === 'deepObject')
      return entriesOf(value).map(function (entry) {
        return name + '[' + encode(entry[0]) + ']=' + encode(entry[1]);
      });
    if (field.explode)
      return entriesOf(value).map(function (entry) {
        return encode(entry[0]) + '=' + encode(entry[1]);
      });
    return [name + '=' + entriesOf(value).flat().map(encode).join(',')];
  }

  function singleText(field, text) {
    var value = valueOf(field, text);
    if (Array.isArray(value)) return value.map(plain).join(',');
    if (typeof value !== 'object' || value === null) return text;
    return entriesOf(value)
      .map(function (entry) {
        return entry.join(field.explode ? '=' : ',');
      })
      .join(',');
  }

  /* UTF-8 text as Base64, for basic authentication. */
  function base64(text) {
    return btoa(String.fromCharCode.apply(null, new TextEncoder().encode(text)));
  }

  function addSecurity(request, field, secret) {
    if (field.type === 'mutualTLS' || (!secret.value && !secret.user)) return;
    if (field.type === 'apiKey') {
      if (field.in === 'query') request.query.push(encode(field.parameter) + '=' + encode(secret.value));
      else if (field.in === 'cookie') request.cookies.push(field.parameter + '=' + secret.value);
      else request.headers.push([field.parameter, secret.value]);
      return;
    }
    var scheme = field.type === 'http' ? field.scheme.toLowerCase() : 'bearer';
    var credentials =
      scheme === 'basic'
        ? 'Basic ' + base64(secret.user + ':' + secret.value)
        : (scheme === 'bearer' ? 'Bearer' : field.scheme) + ' ' + secret.value;
    request.headers.push(['Authorization', credentials]);
  }

  /* `filled` holds the form's values: server, parameters by position, secrets, body. */
  docyard.tryItRequest = function (model, filled) {
    var request = { method: model.method, query: [], headers: [], cookies: [], body: filled.body };
    var path = model.path;
    model.parameters.forEach(function (field, index) {
      var text = filled.parameters[index];
      if (text === '') return;
      if (field.in === 'path')
        path = path.split('{' + field.name + '}').join(encode(singleText(field, text)));
      else if (field.in === 'query') request.query = request.query.concat(queryPairs(field, text));
      else if (field.in === 'cookie') request.cookies.push(field.name + '=' + singleText(field, text));
      else request.headers.push([field.name, singleText(field, text)]);
    });
    filled.security.forEach(function (item) {
      addSecurity(request, item.field, item);
    });
    if (filled.body && filled.body.type) request.headers.push(['Content-Type', filled.body.type]);
    var query = request.query.join('&');
    request.url =
      filled.server.replace(/(?<!\/)\/+$/, '') +
      path +
      (query ? (path.indexOf('?') < 0 ? '?' : '&') + query : '');
    return request;
  };

  function quoted(text) {
    return "'" + text.replaceAll("'", "'\\''") + "'";
  }

  docyard.tryItCommand = function (request) {
    var parts = ['curl --request ' + request.method, '--url ' + quoted(request.url)];
    request.headers.forEach(function (header) {
      parts.push('--header ' + quoted(header.join(': ')));
    });
    if (request.cookies.length) parts.push('--cookie ' + quoted(request.cookies.join('; ')));
    var body = request.body;
    if (body && body.fields)
      body.fields.forEach(function (field) {
        var value = field.file ? '@' + field.file.name : field.value;
        parts.push((body.type ? '--data-urlencode ' : '--form ') + quoted(field.name + '=' + value));
      });
    else if (body && body.file) parts.push('--data-binary ' + quoted('@' + body.file.name));
    else if (body) parts.push('--data ' + quoted(body.text));
    return parts.join(' \\\n  ');
  };
})();
