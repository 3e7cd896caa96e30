/** What a build reports to its caller: one file or one finding at a time. */
import type { Diagnostic } from '../model/diagnostic.ts';
import { encodedText } from '../text/encoded-text.ts';
import type { InPieces, OutputItem } from '../outputs/contract.ts';

export interface OutputFile {
  /** Relative, with forward slashes. */
  path: string;
  content: Uint8Array | { copyFrom: string } | InPieces;
  kind: 'page' | 'asset' | 'output';
  /** Of the content, where it is known. */
  sha256?: string;
}

export type RunEvent =
  /** Text for the check, which would have to decode what was just encoded, unless it has been shown the file. */
  | { type: 'file'; file: OutputFile; text?: string; isSeen?: true }
  | { type: 'diagnostic'; diagnostic: Diagnostic };

export function eventOf(item: OutputItem): RunEvent {
  if ('finding' in item) return diagnostic(item.finding);
  return 'pieces' in item
    ? { type: 'file', file: { path: item.path, content: item, kind: 'output' } }
    : text(item.path, item.content, 'output');
}

/** A file that the check was shown, with what is known of it. */
export function seen(file: OutputFile): RunEvent {
  return { type: 'file', file, isSeen: true };
}

export function text(
  path: string,
  content: string | Uint8Array | InPieces,
  kind: OutputFile['kind'],
): RunEvent {
  if (typeof content !== 'string') return { type: 'file', file: { path, content, kind } };
  const file = { path, content: encodedText(content), kind };
  return path.endsWith('.html') ? { type: 'file', file, text: content } : { type: 'file', file };
}

export function diagnostic(item: Diagnostic): RunEvent {
  return { type: 'diagnostic', diagnostic: item };
}
