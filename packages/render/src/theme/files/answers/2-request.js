/* Asks the server of the site, which sends its answer as an event stream. */
(function () {
  'use strict';
  var search = window.docyardSearch;
  /* The server refuses more: question.ts and ask-endpoint.ts define its limits. */
  var maxBodyBytes = 60000;
  var maxTurns = 6;
  var maxQuestionCharacters = 1000;
  var maxAnswerCharacters = 8000;

  search.answersUrl = function () {
    return search.root + '_docyard/ask';
  };

  /* `receive` gets the type and the data of each event. Rejects with a `code` of the server, or with another error. */
  search.sendQuestion = function (question, receive, signal) {
    return fetch(search.answersUrl(), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: bodyOf(question),
      signal: signal,
    }).then(function (response) {
      var type = response.headers.get('content-type') || '';
      if (response.ok && type.indexOf('text/event-stream') === 0) return readEvents(response, receive);
      var seconds = Number(response.headers.get('retry-after')) || 0;
      return response.json().then(function (reply) {
        throw Object.assign(new Error('refused'), {
          code: reply.error && reply.error.code,
          seconds: seconds,
        });
      });
    });
  };

  function bodyOf(question) {
    var turns = question.history.slice(-maxTurns).map(function (turn) {
      return {
        question: turn.question.slice(0, maxQuestionCharacters),
        answer: turn.answer.slice(0, maxAnswerCharacters),
      };
    });
    for (;;) {
      var body = JSON.stringify({
        question: question.text.slice(0, maxQuestionCharacters),
        history: turns,
        scope: question.scope,
      });
      if (!turns.length || new TextEncoder().encode(body).length <= maxBodyBytes) return body;
      turns.shift();
    }
  }

  function readEvents(response, receive) {
    var reader = response.body.getReader();
    var decoder = new TextDecoder();
    var pending = '';
    function readPart() {
      return reader.read().then(function (part) {
        if (part.done) return undefined;
        var blocks = (pending + decoder.decode(part.value, { stream: true })).split('\n\n');
        pending = blocks.pop();
        blocks.forEach(function (block) {
          var lines = block.split('\n');
          receive(lines[0].slice('event: '.length), JSON.parse(lines[1].slice('data: '.length)));
        });
        return readPart();
      });
    }
    return readPart();
  }
})();
