/** Gemini's `generateContent`. */
import { countOf, objectOf, type Json } from '../json-fields.ts';
import {
  charactersIn,
  listIn,
  ownTools,
  picked,
  refuse,
  refusePart,
  wantedTokens,
  type WireFormat,
} from './wire-format.ts';

const passedSettings = [
  'temperature',
  'topP',
  'topK',
  'seed',
  'stopSequences',
  'presencePenalty',
  'frequencyPenalty',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'thinkingConfig',
  'mediaResolution',
];
const passedPartFields = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'inlineData',
  'functionCall',
  'functionResponse',
]);
const writtenFields = new Set(['text']);

export const gemini: WireFormat = {
  endpointPath({ name }, isStream) {
    const model = name.includes('/') ? name : `models/${name}`;
    const encoded = model.split('/').map(encodeURIComponent).join('/');
    return `${encoded}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
  },
  read(body) {
    if (!Array.isArray(body['contents'])) refuse('The request has no contents.');
    for (const { parts } of listIn(body['contents'], 'contents')) checkParts(parts);
    const { systemInstruction, cachedContent, toolConfig, generationConfig } = body;
    if (systemInstruction !== undefined) {
      checkParts(
        (objectOf(systemInstruction) ?? refuse('The system instruction is not an object.'))['parts'],
      );
    }
    if (cachedContent !== undefined && cachedContent !== null) {
      refuse('The field cachedContent is not supported: no conversation is kept. Send all contents.');
    }
    const tools = ownTools(listIn(body['tools'], 'tools'), (tool) =>
      Array.isArray(tool['functionDeclarations']),
    );
    const settings = objectOf(generationConfig) ?? {};
    return {
      wantedOutputTokens: wantedTokens(settings['maxOutputTokens']),
      withLimit: (outputTokens) => ({
        contents: body['contents'],
        ...(systemInstruction === undefined ? {} : { systemInstruction }),
        ...(tools.length === 0
          ? {}
          : {
              tools: tools.map((tool) => picked(tool, ['functionDeclarations'])),
              ...callingConfig(toolConfig),
            }),
        generationConfig: { ...picked(settings, passedSettings), maxOutputTokens: outputTokens },
      }),
    };
  },
  // Every event of a stream has the figures so far.
  figuresIn: ({ usageMetadata }) => objectOf(usageMetadata),
  countsOf(figures) {
    const written = countOf(figures['candidatesTokenCount']);
    const thought = countOf(figures['thoughtsTokenCount']);
    return {
      inputTokens: countOf(figures['promptTokenCount']),
      outputTokens:
        written === undefined && thought === undefined ? undefined : (written ?? 0) + (thought ?? 0),
      cacheReadTokens: countOf(figures['cachedContentTokenCount']),
    };
  },
  writtenIn: ({ candidates }) => charactersIn(candidates, writtenFields) + callCharacters(candidates),
};

function callingConfig(toolConfig: unknown): Json {
  const { functionCallingConfig } = objectOf(toolConfig) ?? {};
  return functionCallingConfig === undefined ? {} : { toolConfig: { functionCallingConfig } };
}

function checkParts(parts: unknown): void {
  for (const part of listIn(parts, 'parts of a message')) {
    if (!Object.keys(part).every((field) => passedPartFields.has(field))) refusePart();
    const { functionResponse } = part;
    if (functionResponse !== undefined) {
      checkParts((objectOf(functionResponse) ?? refusePart())['parts']);
    }
  }
}

/** Arguments are objects, so their texts have no known names. */
function callCharacters(candidates: unknown): number {
  const parts = (Array.isArray(candidates) ? candidates : []).flatMap((candidate: unknown) => {
    const { parts: found } = objectOf(objectOf(candidate)?.['content']) ?? {};
    return Array.isArray(found) ? (found as unknown[]) : [];
  });
  return parts.reduce<number>((sum, part) => {
    const call = objectOf(objectOf(part)?.['functionCall']);
    return sum + (call === undefined ? 0 : JSON.stringify(call).length);
  }, 0);
}
