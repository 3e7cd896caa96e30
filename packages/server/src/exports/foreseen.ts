/**
 * Where a source will lie before it has been fetched, so that the process that renders it can be started meanwhile. What was
 * foreseen is looked at again afterwards: a process that was started for another folder gets no order.
 */
import { stat } from 'node:fs/promises';
import type { SourceRequest, Sources } from '../ports/sources.ts';
import type { ExportOrder } from './messages.ts';

export interface Foreseen {
  folder: string;
  /** By which the folder is known again. */
  identity: string;
}

/** The source turned out to lie elsewhere. */
export class LiesElsewhere extends Error {
  override name = 'LiesElsewhere';
}

export async function foresee(
  sources: Sources,
  source: Omit<SourceRequest, 'commit' | 'credential'>,
  workFolder: string,
): Promise<Foreseen | undefined> {
  const folder = await sources.foresee(source, workFolder);
  const identity = folder === undefined ? undefined : await identityOf(folder);
  return folder === undefined || identity === undefined ? undefined : { folder, identity };
}

/** Rejects with `LiesElsewhere` when the order is about another folder. */
export async function heldTo(
  { folder, identity }: Foreseen,
  order: Promise<ExportOrder>,
): Promise<ExportOrder> {
  const ready = await order;
  if (ready.folder !== folder || (await identityOf(folder)) !== identity) throw new LiesElsewhere();
  return ready;
}

/**
 * A folder that was removed and made again often gets the number of the old one, but not its birth. Undefined where the disk
 * does not tell of that.
 */
export async function identityOf(folder: string): Promise<string | undefined> {
  const { dev, ino, birthtimeNs } = await stat(folder, { bigint: true });
  return birthtimeNs === 0n ? undefined : `${dev} ${ino} ${birthtimeNs}`;
}
