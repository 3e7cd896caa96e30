/** Events of Anthropic messages as servers send them, rewritten into those that Anthropic specifies. */
import { randomUUID } from 'node:crypto';
import { argumentsText, countOf, objectOf, objectsOf, parsedJson, textOf, type Json } from './json-fields.ts';
import type { EventNormalizer } from './normal-events.ts';

export function createMessageNormalizer(): EventNormalizer {
  const blocks = createBlocks();
  let isStarted = false;
  let isEnded = false;
  let stopReason: string | undefined;

  function start(message: Json): Json[] {
    if (isStarted) return [];
    isStarted = true;
    const id = textOf(message['id']) ?? 'message';
    return [{ type: 'message_start', message: { id, usage: inputUsageOf(objectOf(message['usage'])) } }];
  }

  function stop(usage: Json | undefined): Json[] {
    return [
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason ?? blocks.usualStopReason() },
        usage: { ...usage, output_tokens: countOf(usage?.['output_tokens']) ?? 0 },
      },
    ];
  }

  function end(): Json[] {
    if (isEnded || !isStarted || (stopReason === undefined && !blocks.areComplete())) return [];
    isEnded = true;
    const missing = stopReason === undefined ? stop(undefined) : [];
    return [...blocks.closeAll(), ...missing, { type: 'message_stop' }];
  }

  function read(event: Json): Json[] {
    if (isEnded) return [];
    switch (event['type']) {
      case 'message_start':
        return start(objectOf(event['message']) ?? {});
      case 'content_block_start':
        return [
          ...start({}),
          ...blocks.open(countOf(event['index']), objectOf(event['content_block']) ?? {}),
        ];
      case 'content_block_delta':
        return [...start({}), ...blocks.add(countOf(event['index']), objectOf(event['delta']) ?? {})];
      case 'content_block_stop':
        return blocks.close(countOf(event['index']));
      case 'message_delta':
        stopReason = textOf(objectOf(event['delta'])?.['stop_reason']) ?? stopReason;
        return stopReason === undefined ? [] : [...start({}), ...stop(outputUsageOf(event['usage']))];
      case 'message_stop':
        return end();
      default:
        if (event['error'] === undefined || event['error'] === null) return [];
        isEnded = true;
        return [{ type: 'error', error: errorOf(event['error']) }];
    }
  }

  return {
    read,
    readWhole(answer) {
      if (answer['error'] !== undefined && answer['error'] !== null) return read({ error: answer['error'] });
      const content = answer['content'];
      const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsOf(content);
      const opening = start(answer);
      const opened = parts.flatMap((part, index) => [...blocks.open(index, part), ...blocks.close(index)]);
      stopReason = textOf(answer['stop_reason']) ?? blocks.usualStopReason();
      return [...opening, ...opened, ...stop(outputUsageOf(answer['usage']))];
    },
    end,
  };
}

function inputUsageOf(usage: Json | undefined): Json {
  return {
    input_tokens: countOf(usage?.['input_tokens']) ?? 0,
    cache_read_input_tokens: countOf(usage?.['cache_read_input_tokens']) ?? 0,
    cache_creation_input_tokens: countOf(usage?.['cache_creation_input_tokens']) ?? 0,
  };
}

function outputUsageOf(value: unknown): Json {
  const fields = [
    'input_tokens',
    'output_tokens',
    'cache_read_input_tokens',
    'cache_creation_input_tokens',
  ].flatMap((name) => {
    const count = countOf(objectOf(value)?.[name]);
    return count === undefined ? [] : [[name, count] as const];
  });
  return Object.fromEntries(fields);
}

function errorOf(value: unknown): Json {
  const error = objectOf(value);
  const message = textOf(error?.['message']) ?? textOf(value) ?? JSON.stringify(value);
  return { type: textOf(error?.['type']) ?? 'error', message };
}

/** The field of the text in each kind of block, at its start and in its pieces. */
const textFields: Record<string, { kind: string; field: string }> = {
  text_delta: { kind: 'text', field: 'text' },
  thinking_delta: { kind: 'thinking', field: 'thinking' },
  input_json_delta: { kind: 'tool_use', field: 'partial_json' },
};

function createBlocks() {
  const open = new Map<number, string>();
  const inputs: string[] = [];
  let hasText = false;
  let last = -1;

  function close(index = last): Json[] {
    return open.delete(index) ? [{ type: 'content_block_stop', index }] : [];
  }

  function add(index: number, type: string, text: string): Json[] {
    const known = textFields[type];
    if (!known || text === '') return [];
    if (known.kind === 'tool_use') inputs.push((inputs.pop() ?? '') + text);
    else hasText ||= known.kind === 'text';
    return [{ type: 'content_block_delta', index, delta: { type, [known.field]: text } }];
  }

  function openBlock(index: number, block: Json): Json[] {
    const kind = textOf(block['type']);
    const started = (content: Json): Json => {
      open.set(index, String(kind));
      last = index;
      return { type: 'content_block_start', index, content_block: content };
    };
    const closed = close(index);
    switch (kind) {
      case 'text':
        return [
          ...closed,
          started({ type: kind, text: '' }),
          ...add(index, 'text_delta', textOf(block['text']) ?? ''),
        ];
      case 'thinking':
        return [
          ...closed,
          started({ type: kind, thinking: '' }),
          ...add(index, 'thinking_delta', textOf(block['thinking']) ?? ''),
        ];
      case 'tool_use': {
        const given = block['id'];
        const id = typeof given === 'number' ? String(given) : textOf(given) || `toolu_${randomUUID()}`;
        inputs.push('');
        const input = argumentsText(block['input']) ?? '';
        return [
          ...closed,
          started({ type: kind, id, name: textOf(block['name']) ?? '' }),
          ...add(index, 'input_json_delta', input === '{}' ? '' : input),
        ];
      }
      default:
        // Blocks of newer versions; their pieces are dropped because the block is not open.
        return closed;
    }
  }

  return {
    open: (index: number | undefined, block: Json) => openBlock(index ?? last + 1, block),
    add(given: number | undefined, delta: Json): Json[] {
      const index = given ?? Math.max(0, last);
      const type = textOf(delta['type']) ?? '';
      const known = textFields[type];
      if (!known) return [];
      const text = argumentsText(delta[known.field]) ?? '';
      const isOpen = open.get(index) === known.kind;
      const canOpen = known.kind !== 'tool_use';
      if (!isOpen && !canOpen) return [];
      return [...(isOpen ? [] : openBlock(index, { type: known.kind })), ...add(index, type, text)];
    },
    close,
    closeAll: () => [...open.keys()].flatMap((index) => close(index)),
    areComplete: () =>
      (hasText || inputs.length > 0) && inputs.every((text) => text === '' || parsedJson(text) !== undefined),
    usualStopReason: () => (inputs.length > 0 ? 'tool_use' : 'end_turn'),
  };
}
