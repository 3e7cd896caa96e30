import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { answerFor, type FileRequest, type StaticFile } from './static-file.ts';

/** A static file as a `Response`. Rejects with ENOENT when the file is missing. */
export async function fileResponse(file: StaticFile, request: FileRequest): Promise<Response> {
  const answer = answerFor(file, request);
  const { status } = answer;
  const headers = headersOf(answer.headers);
  if (answer.status === 304 || answer.status === 416) return new Response(null, { status, headers });
  const { content, sizeBytes } = answer.form;
  if (request.method === 'HEAD' || sizeBytes === 0) return new Response(null, { status, headers });
  const { start, end } = answer.status === 206 ? answer.range : { start: 0, end: sizeBytes - 1 };
  if ('bytes' in content)
    return new Response(new Uint8Array(content.bytes.subarray(start, end + 1)), { status, headers });
  const { file: path, offset } = content;
  const stream = (await open(path)).createReadStream({ start: offset + start, end: offset + end });
  return new Response(Readable.toWeb(stream) as ReadableStream<Uint8Array>, { status, headers });
}

function headersOf(flat: readonly string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index < flat.length; index += 2)
    headers.append(flat[index] ?? '', flat[index + 1] ?? '');
  return headers;
}
