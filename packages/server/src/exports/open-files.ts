/** File descriptors that an export process inherits. It can write no other files. */
import { firstFileDescriptor } from '../sandbox/protocol.ts';

export const openFiles = {
  spool: firstFileDescriptor,
  report: firstFileDescriptor + 1,
  /** The build cache; open only with a cache. */
  young: firstFileDescriptor + 2,
  old: firstFileDescriptor + 3,
};
