/* The request form, part 3 of 4: sends the request and shows the response. */
(function () {
  'use strict';
  var make = docyard.tryItFields.make;
  /* Longer responses would freeze the browser. */
  var longest = 500000;

  function payloadOf(body) {
    if (!body) return undefined;
    if (!body.fields) return body.file || body.text;
    var data = body.type ? new URLSearchParams() : new FormData();
    body.fields.forEach(function (field) {
      data.append(field.name, field.file || field.value);
    });
    return data;
  }

  function size(bytes) {
    return bytes < 1000 ? bytes + ' B' : (bytes / 1000).toFixed(1) + ' kB';
  }

  function codeBox(label, text) {
    var cut = text.length > longest;
    var code = make('code', {}, [cut ? text.slice(0, longest) : text]);
    var nodes = [make('pre', { tabindex: '0', role: 'region', 'aria-label': label }, [code])];
    if (cut) nodes.push(make('p', { class: 'dy-try-it-note' }, ['Only the beginning is shown.']));
    return make('div', {}, nodes);
  }

  function pretty(text) {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  }

  function headersBox(response) {
    var lines = [];
    response.headers.forEach(function (value, name) {
      lines.push(name + ': ' + value);
    });
    return make('details', {}, [
      make('summary', {}, ['Headers (' + lines.length + ')']),
      codeBox('Response headers', lines.join('\n')),
      make('p', { class: 'dy-try-it-note' }, [
        'A browser shows only the headers that the server lets it see.',
      ]),
    ]);
  }

  function bodyBox(blob, type) {
    if (!blob.size)
      return Promise.resolve(make('p', { class: 'dy-try-it-note' }, ['The response has no body.']));
    if (type.startsWith('image/')) {
      var image = make('img', { alt: 'The picture in the response' });
      image.src = URL.createObjectURL(blob);
      return Promise.resolve(image);
    }
    if (!/json|text|xml|yaml|javascript|urlencoded|^$/.test(type)) {
      var link = make('a', { download: 'response' }, ['Save the response (' + type + ')']);
      link.href = URL.createObjectURL(blob);
      return Promise.resolve(make('p', {}, [link]));
    }
    return blob.text().then(function (text) {
      return codeBox('Response body', /json|^$/.test(type) ? pretty(text) : text);
    });
  }

  /* Events are shown as they arrive, because the response may never end. */
  function streamBox(response, area) {
    var box = codeBox('Response body', '');
    var code = box.querySelector('code');
    var reader = response.body.getReader();
    var decoder = new TextDecoder();
    area.append(box);
    var read = function () {
      return reader.read().then(function (part) {
        if (part.done || code.textContent.length > longest) return reader.cancel();
        code.append(decoder.decode(part.value, { stream: true }));
        return read();
      });
    };
    return read();
  }

  function statusLine(response, milliseconds, bytes) {
    var status = response.status + (response.statusText ? ' ' + response.statusText : '');
    var facts = [Math.round(milliseconds) + ' ms'].concat(bytes === undefined ? [] : [size(bytes)]);
    return make('p', { class: 'dy-try-it-status' }, [
      make('span', { class: 'dy-status dy-status-' + String(response.status).charAt(0) }),
      make('strong', {}, [status]),
      make('span', {}, [facts.join(', ')]),
    ]);
  }

  /* Browsers do not expose why a request failed, so likely reasons are listed. */
  function explanation(url) {
    var origin = new URL(url, location.href).origin;
    var here =
      location.protocol === 'file:' ? '“null”, as pages opened from disk are called' : location.origin;
    if (location.protocol === 'https:' && url.startsWith('http:'))
      return (
        'A page loaded over https may not ask ' +
        origin +
        ', which is not encrypted. Use the command instead.'
      );
    return (
      'No response could be read. Either ' +
      origin +
      ' cannot be reached, or it does not allow requests from other sites (CORS). ' +
      'It would have to allow the origin ' +
      here +
      '. The command works either way.'
    );
  }

  docyard.tryItSend = function (request, credentials, area, signal) {
    var hasBody = request.method !== 'GET' && request.method !== 'HEAD';
    var isForm = request.body && request.body.fields && !request.body.type;
    var started = performance.now();
    var options = {
      method: request.method,
      headers: request.headers.filter(function (header) {
        return !isForm || header[0].toLowerCase() !== 'content-type';
      }),
      body: hasBody ? payloadOf(request.body) : undefined,
      credentials: credentials ? 'include' : 'omit',
      cache: 'no-store',
      signal: signal,
    };
    var show = function (nodes) {
      area.replaceChildren.apply(area, nodes);
    };
    show([make('p', { class: 'dy-try-it-note' }, ['Waiting for the response …'])]);
    return Promise.resolve()
      .then(function () {
        return fetch(request.url, options);
      })
      .then(function (response) {
        var type = (response.headers.get('content-type') || '').toLowerCase();
        var head = function (bytes) {
          return [statusLine(response, performance.now() - started, bytes), headersBox(response)];
        };
        if (/event-stream/.test(type) && response.body) {
          show(head());
          return streamBox(response, area);
        }
        return response.blob().then(function (blob) {
          var shown = head(blob.size);
          return bodyBox(blob, type).then(function (box) {
            show(shown.concat([box]));
          });
        });
      })
      .catch(function (error) {
        if (error.name === 'AbortError') show([make('p', { class: 'dy-try-it-note' }, ['Stopped.'])]);
        else show([make('p', { class: 'dy-try-it-failure' }, [failureText(error, request.url)])]);
      });
  };

  /* An invalid header or address is reported with the browser's message. */
  function failureText(error, url) {
    if (error instanceof TypeError && /header|URL|method|ISO-8859/i.test(error.message)) return error.message;
    return explanation(url);
  }
})();
