/** The files that a process which exports finds open, by their descriptors. The server has opened them: it can write nothing else. */
import { firstFileDescriptor } from '../rendering/protocol.ts';

export const openFiles = {
  spool: firstFileDescriptor,
  report: firstFileDescriptor + 1,
  /** The build cache; neither is open without one. */
  young: firstFileDescriptor + 2,
  old: firstFileDescriptor + 3,
};
