/** The seccomp filter of sandboxed processes, as the BPF program that bubblewrap loads. */
import { endianness } from 'node:os';

/** Numbers from `<asm/unistd.h>`; undefined where an architecture lacks the call. */
type Numbers = readonly [x64: number, arm64: number | undefined];

const refused: Record<string, Numbers> = {
  // No connections. `socketpair`, which Node uses for child processes, stays allowed.
  socket: [41, 198],
  connect: [42, 203],
  accept: [43, 202],
  accept4: [288, 242],
  bind: [49, 200],
  listen: [50, 201],
  // Other processes, and memory that RLIMIT_DATA does not count.
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  shmget: [29, 194],
  shmat: [30, 196],
  shmctl: [31, 195],
  msgget: [68, 186],
  semget: [64, 190],
  // Namespaces and mounts.
  unshare: [272, 97],
  setns: [308, 268],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  mknod: [133, undefined],
  mknodat: [259, 33],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  // Large and rarely used kernel subsystems.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  fanotify_init: [300, 262],
  lookup_dcookie: [212, 18],
  personality: [135, 92],
  modify_ldt: [154, undefined],
  // Administration of the machine.
  acct: [163, 89],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  settimeofday: [164, 170],
  delete_module: [176, 106],
  finit_module: [313, 273],
  init_module: [175, 105],
  ioperm: [173, undefined],
  iopl: [172, undefined],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  vhangup: [153, 58],
};

export const refusedCalls: readonly string[] = Object.keys(refused);

const architectures = {
  x64: { audit: 0xc000003e, column: 0, clone: 56, clone3: 435, mmap: 9 },
  arm64: { audit: 0xc00000b7, column: 1, clone: 220, clone3: 435, mmap: 222 },
} as const;

/** Calls of the x32 ABI carry this bit and would pass every comparison. */
const x32Bit = 0x40000000;
/** All CLONE_NEW* flags of `clone`. */
const newNamespaces = 0x7e020000;
const sharedMemory = 0x01;
const withoutFile = 0x20;

const verdict = {
  allow: 0x7fff0000,
  kill: 0x80000000,
  notPermitted: 0x00050000 + 1,
  /** ENOSYS: the C library falls back to `clone`, whose flags the filter can inspect. */
  notThere: 0x00050000 + 38,
} as const;

/** Offsets in `struct seccomp_data`; for arguments, of the lower half. */
const field = { call: 0, architecture: 4, argument: (index: number) => 16 + 8 * index } as const;

const code = { load: 0x20, and: 0x54, ifEqual: 0x15, ifAtLeast: 0x35, ifAnySet: 0x45, answer: 0x06 } as const;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** Undefined on unsupported architectures. */
export function seccompFilter(architecture: string = process.arch): Buffer | undefined {
  if (endianness() !== 'LE' || !isKnown(architecture)) return undefined;
  const { audit, column, clone, clone3, mmap } = architectures[architecture];
  const numbers = Object.values(refused).flatMap((pair) => pair[column] ?? []);
  return assemble([
    load(field.architecture),
    ...unless(code.ifEqual, audit, verdict.kill),
    load(field.call),
    ...(architecture === 'x64' ? when(code.ifAtLeast, x32Bit, verdict.kill) : []),
    ...numbers.flatMap((number) => when(code.ifEqual, number, verdict.notPermitted)),
    ...when(code.ifEqual, clone3, verdict.notThere),
    // Child processes are allowed, new namespaces are not.
    ...skipUnless(clone, [
      load(field.argument(0)),
      ...when(code.ifAnySet, newNamespaces, verdict.notPermitted),
      answer(verdict.allow),
    ]),
    // RLIMIT_DATA does not count shared anonymous memory.
    ...skipUnless(mmap, [
      load(field.argument(3)),
      [code.and, 0, 0, sharedMemory | withoutFile],
      ...when(code.ifEqual, sharedMemory | withoutFile, verdict.notPermitted),
    ]),
    answer(verdict.allow),
  ]);
}

function isKnown(architecture: string): architecture is keyof typeof architectures {
  return Object.hasOwn(architectures, architecture);
}

function load(offset: number): Instruction {
  return [code.load, 0, 0, offset];
}

function answer(value: number): Instruction {
  return [code.answer, 0, 0, value];
}

function when(test: number, value: number, then: number): Instruction[] {
  return [[test, 0, 1, value], answer(then)];
}

function unless(test: number, value: number, then: number): Instruction[] {
  return [[test, 1, 0, value], answer(then)];
}

function skipUnless(number: number, instructions: Instruction[]): Instruction[] {
  return [[code.ifEqual, 0, instructions.length, number], ...instructions];
}

function assemble(instructions: readonly Instruction[]): Buffer {
  const program = Buffer.alloc(8 * instructions.length);
  for (const [index, [operation, ifTrue, ifFalse, value]] of instructions.entries()) {
    program.writeUInt16LE(operation, 8 * index);
    program.writeUInt8(ifTrue, 8 * index + 2);
    program.writeUInt8(ifFalse, 8 * index + 3);
    program.writeUInt32LE(value, 8 * index + 4);
  }
  return program;
}
