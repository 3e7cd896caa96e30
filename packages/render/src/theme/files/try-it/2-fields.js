/* The request form, part 2 of 4: fields for servers, secrets, parameters and bodies. */
(function () {
  'use strict';
  var count = 0;

  /* Pages in other languages embed their translations. */
  function say(text) {
    return (docyard.tryItTexts || {})[text] || text;
  }

  function make(name, values, children) {
    var node = document.createElement(name);
    Object.keys(values || {}).forEach(function (key) {
      if (values[key] !== undefined && values[key] !== false) node.setAttribute(key, values[key]);
    });
    node.append.apply(node, children || []);
    return node;
  }

  function select(options, chosen, values) {
    var node = make('select', Object.assign({ class: 'dy-select' }, values));
    options.forEach(function (option) {
      var value = Array.isArray(option) ? option[0] : option;
      node.appendChild(make('option', { value: value }, [Array.isArray(option) ? option[1] : option]));
    });
    node.value = chosen;
    if (node.selectedIndex < 0) node.selectedIndex = 0;
    return node;
  }

  function row(name, input, details) {
    input.id = 'try-it-' + ++count;
    var label = make('label', { for: input.id, class: details.isQuiet && 'dy-visually-hidden' }, [name]);
    var head = make('div', { class: 'dy-try-it-label' }, [label]);
    if (details.type) head.append(make('code', {}, [details.type]));
    if (details.required)
      head.append(make('span', { class: 'dy-field-label dy-field-required' }, ['required']));
    var box = make('div', { class: 'dy-try-it-row' }, [head, input]);
    if (details.note) {
      var note = make('p', { class: 'dy-try-it-note', id: input.id + '-note' }, [details.note]);
      input.setAttribute('aria-describedby', note.id);
      box.append(note);
    }
    return box;
  }

  function group(title, rows) {
    return make('fieldset', {}, [make('legend', {}, [title])].concat(rows));
  }

  function textInput(values) {
    return make('input', Object.assign({ type: 'text', autocomplete: 'off', spellcheck: 'false' }, values));
  }

  function servers(list) {
    var choice = select(
      list.map(function (server, index) {
        return [index, server.url + (server.description ? ' (' + server.description + ')' : '')];
      }),
      0,
    );
    var variables = make('div', { class: 'dy-try-it-variables' });
    var inputs = [];
    var fill = function () {
      inputs = list[choice.value].variables.map(function (variable) {
        return variable.choices.length
          ? select(variable.choices, variable.initial)
          : textInput({ value: variable.initial });
      });
      variables.replaceChildren.apply(
        variables,
        inputs.map(function (input, index) {
          var variable = list[choice.value].variables[index];
          return row(variable.name, input, { note: variable.description });
        }),
      );
    };
    choice.addEventListener('change', fill);
    fill();
    var rows = list.length > 1 ? [row(say('Server'), choice, { isQuiet: true }), variables] : [variables];
    return {
      nodes: list.length > 1 || inputs.length ? [group(say('Server'), rows)] : [],
      read: function () {
        return list[choice.value].variables.reduce(function (url, variable, index) {
          return url.split('{' + variable.name + '}').join(inputs[index].value);
        }, list[choice.value].url);
      },
    };
  }

  var cookieNote = 'Browsers do not let a page send cookies to another host. It is in the command only.';

  function parameters(list) {
    var titles = {
      path: say('Path'),
      query: say('Query'),
      header: say('Headers'),
      cookie: say('Cookies'),
    };
    var inputs = list.map(function (field) {
      var options = field.choices.length
        ? field.choices
        : field.type.startsWith('boolean')
          ? ['true', 'false']
          : null;
      var required = field.required ? '' : undefined;
      if (options)
        return select((field.required && field.initial ? [] : ['']).concat(options), field.initial, {
          required: required,
        });
      return textInput({ value: field.initial, placeholder: field.example, required: required });
    });
    return {
      nodes: Object.keys(titles).flatMap(function (place) {
        var rows = list.flatMap(function (field, index) {
          if (field.in !== place) return [];
          var note = place === 'cookie' ? cookieNote : '';
          return [row(field.name, inputs[index], { type: field.type, required: field.required, note: note })];
        });
        return rows.length ? [group(titles[place], rows)] : [];
      }),
      read: function () {
        return inputs.map(function (input) {
          return input.value;
        });
      },
    };
  }

  function storageKey(field, server) {
    return 'docyard-secret ' + [server, field.id, field.parameter].join(' ');
  }

  function stored(key) {
    try {
      return JSON.parse(sessionStorage.getItem(key)) || {};
    } catch {
      return {};
    }
  }

  /* Secrets stay in the form. They are stored only when the reader opts in, until the tab is closed. */
  function security(alternatives, server) {
    var usable = alternatives.filter(function (schemes) {
      return schemes.length;
    });
    if (!usable.length)
      return {
        nodes: [],
        read: function () {
          return [];
        },
        missing: function () {},
      };
    var none = usable.length < alternatives.length;
    var names = usable.map(function (schemes, index) {
      return [
        index,
        schemes
          .map(function (scheme) {
            return scheme.id;
          })
          .join(' and '),
      ];
    });
    if (none) names.push([usable.length, 'None']);
    var choice = select(names, 0);
    var holder = make('div');
    var keep = make('input', { type: 'checkbox', id: 'try-it-keep' });
    var fields = [];
    var fill = function () {
      fields = (usable[choice.value] || []).map(function (scheme) {
        return secretField(scheme, stored(storageKey(scheme, server)), !none);
      });
      holder.replaceChildren.apply(
        holder,
        fields.flatMap(function (field) {
          return field.nodes;
        }),
      );
    };
    var save = function () {
      fields.forEach(function (field) {
        try {
          var key = storageKey(field.scheme, server);
          if (keep.checked) sessionStorage.setItem(key, JSON.stringify(field.read()));
          else sessionStorage.removeItem(key);
        } catch {
          /* Without storage the secret lasts as long as the page. */
        }
      });
    };
    keep.checked = usable.some(function (schemes) {
      return schemes.some(function (scheme) {
        return stored(storageKey(scheme, server)).value;
      });
    });
    choice.addEventListener('change', fill);
    holder.addEventListener('input', save);
    keep.addEventListener('change', save);
    fill();
    var label = make('label', { class: 'dy-try-it-keep', for: keep.id }, [keep, 'Remember in this tab']);
    var head = names.length > 1 ? [row('Method', choice, {})] : [];
    return {
      nodes: [group(say('Authorization'), head.concat([holder, label]))],
      read: function () {
        return fields.map(function (field) {
          return Object.assign({ field: field.scheme }, field.read());
        });
      },
      missing: function () {
        return fields.find(function (field) {
          return field.isEmpty();
        });
      },
    };
  }

  function secretField(scheme, known, required) {
    var isBasic = scheme.type === 'http' && scheme.scheme.toLowerCase() === 'basic';
    var user = textInput({ value: known.user || '' });
    var value = make('input', {
      type: 'password',
      autocomplete: 'off',
      value: known.value || scheme.initial,
    });
    var name = scheme.type === 'apiKey' ? scheme.parameter : isBasic ? 'Password' : 'Token';
    var note = scheme.in === 'cookie' && scheme.type === 'apiKey' ? cookieNote : '';
    if (scheme.type === 'mutualTLS')
      return {
        scheme: scheme,
        nodes: [make('p', { class: 'dy-try-it-note' }, ['The browser sends its client certificate.'])],
        read: function () {
          return {};
        },
        isEmpty: function () {
          return false;
        },
      };
    var box = row(name, value, { note: note, required: required });
    var warning = make('p', { class: 'dy-try-it-note', role: 'alert', id: value.id + '-warning' });
    value.after(warning);
    var warn = function (text) {
      warning.textContent = text;
      value.setAttribute('aria-invalid', String(text !== ''));
      value.setAttribute('aria-describedby', text || !note ? warning.id : value.id + '-note');
    };
    value.addEventListener('input', function () {
      warn('');
    });
    return {
      scheme: scheme,
      nodes: (isBasic ? [row('User name', user, {})] : []).concat([box]),
      isEmpty: function () {
        return required && value.value === '';
      },
      warn: function () {
        var text = say('{name} is required and empty. Fill it in, or send again to try without it.');
        warn(text.split('{name}').join(name));
        value.focus();
      },
      read: function () {
        return { user: isBasic ? user.value : '', value: value.value };
      },
    };
  }

  function bodies(list) {
    var choice = select(
      list.map(function (body, index) {
        return [index, body.type];
      }),
      0,
    );
    var holder = make('div');
    var current;
    var fill = function () {
      current = bodyField(list[choice.value]);
      holder.replaceChildren.apply(holder, current.nodes);
    };
    if (!list.length)
      return {
        nodes: [],
        read: function () {},
      };
    choice.addEventListener('change', fill);
    fill();
    var head = list.length > 1 ? [row('Content type', choice, {})] : [];
    return {
      nodes: [group(say('Body'), head.concat([holder]))],
      read: function () {
        return current.read();
      },
    };
  }

  function bodyField(body) {
    if (body.fields.length) return formBody(body);
    if (!body.initial && !/json|xml|text|yaml|javascript|urlencoded/i.test(body.type)) return fileBody(body);
    return textBody(body);
  }

  function formBody(body) {
    var inputs = body.fields.map(function (field) {
      var values = { required: field.required ? '' : undefined };
      if (field.isFile) return make('input', Object.assign({ type: 'file' }, values));
      return textInput(Object.assign({ value: field.initial }, values));
    });
    return {
      nodes: body.fields.map(function (field, index) {
        return row(field.name, inputs[index], { type: field.isFile ? 'file' : '', required: field.required });
      }),
      read: function () {
        var fields = body.fields.flatMap(function (field, index) {
          var input = inputs[index];
          if (field.isFile)
            return input.files[0] ? [{ name: field.name, file: input.files[0], value: '' }] : [];
          return input.value === '' ? [] : [{ name: field.name, value: input.value }];
        });
        /* The browser sets the multipart content type, because it contains the boundary. */
        return { fields: fields, type: /urlencoded/i.test(body.type) ? body.type : '' };
      },
    };
  }

  function fileBody(body) {
    var input = make('input', { type: 'file' });
    return {
      nodes: [row('File', input, { type: body.type })],
      read: function () {
        return input.files[0] ? { file: input.files[0], type: body.type } : undefined;
      },
    };
  }

  function textBody(body) {
    var isJson = /json/i.test(body.type);
    var area = make('textarea', { rows: '10', spellcheck: 'false', autocomplete: 'off' });
    area.value = body.initial;
    area.rows = Math.min(Math.max(body.initial.split('\n').length + 1, 5), 18);
    var box = row(isJson ? 'JSON' : 'Text', area, { type: body.type, note: ' ' });
    var note = box.lastElementChild;
    note.setAttribute('aria-live', 'polite');
    var check = function () {
      var problem = '';
      if (isJson && area.value.trim() !== '') {
        try {
          JSON.parse(area.value);
        } catch (error) {
          problem = 'Not valid JSON: ' + error.message;
        }
      }
      note.textContent = problem;
      area.setAttribute('aria-invalid', String(problem !== ''));
    };
    area.addEventListener('input', check);
    check();
    return {
      nodes: [box],
      read: function () {
        return area.value.trim() === '' ? undefined : { text: area.value, type: body.type };
      },
    };
  }

  docyard.tryItFields = {
    make: make,
    say: say,
    servers: servers,
    security: security,
    parameters: parameters,
    bodies: bodies,
  };
})();
