/** Lists and tables in the memory of the program. One that is full moves to a place with twice the room. */
@unmanaged
export class Bytes {
  place: usize;
  room: i32;

  constructor(room: i32) {
    this.place = heap.alloc(room);
    this.room = room;
  }

  /** What is left behind is not used again: whoever runs this program starts it anew when it has become large. */
  makeRoom(bytes: i32): void {
    if (bytes <= this.room) return;
    const larger = max(bytes, this.room * 2);
    const place = heap.alloc(larger);
    memory.copy(place, this.place, this.room);
    this.place = place;
    this.room = larger;
  }
}

@unmanaged
export class Numbers {
  count: i32 = 0;
  private bytes: Bytes;

  constructor(room: i32) {
    this.bytes = new Bytes(room << 2);
  }

  @inline
  get(at: i32): i32 {
    return load<i32>(this.bytes.place + ((<usize>at) << 2));
  }

  @inline
  set(at: i32, value: i32): void {
    store<i32>(this.bytes.place + ((<usize>at) << 2), value);
  }

  @inline
  add(value: i32): void {
    if (this.count << 2 == this.bytes.room) this.makeRoom(1);
    this.set(this.count++, value);
  }

  /** Where they begin. */
  place(): usize {
    return this.bytes.place;
  }

  /** For so many more. Answers where they go. */
  makeRoom(count: i32): usize {
    this.bytes.makeRoom((this.count + count) << 2);
    return this.bytes.place + ((<usize>this.count) << 2);
  }
}

const firstSlots: usize = 1 << 12;

/**
 * Places that are found by a hash, each of some numbers; the last of them is 0 where a place is empty. Small at first: what lies close
 * together stays in the cache of the processor.
 */
@unmanaged
export class Slots {
  private place: usize;
  private lastOffset: usize;
  private used: i32 = 0;

  constructor(
    private slotBytes: usize,
    private hashAt: (slot: usize) => u32,
  ) {
    this.place = heap.alloc(firstSlots * slotBytes);
    this.lastOffset = (firstSlots - 1) * slotBytes;
  }

  /** Where to look first. */
  @inline
  first(hash: u32): usize {
    return this.place + ((<usize>hash * this.slotBytes) & this.lastOffset);
  }

  @inline
  next(slot: usize): usize {
    return slot == this.place + this.lastOffset ? this.place : slot + this.slotBytes;
  }

  @inline
  isEmpty(slot: usize): bool {
    return load<i32>(slot + this.slotBytes - 4) == 0;
  }

  /** After an empty place was filled. Never more than half of them are. */
  noteFilled(): void {
    const room = this.lastOffset + this.slotBytes;
    if (<usize>++this.used * this.slotBytes * 2 <= room) return;
    const before = this.place;
    this.place = heap.alloc(room * 2);
    memory.fill(this.place, 0, room * 2);
    this.lastOffset += room;
    for (let slot = before; slot < before + room; slot += this.slotBytes) {
      if (this.isEmpty(slot)) continue;
      let place = this.first(this.hashAt(slot));
      while (!this.isEmpty(place)) place = this.next(place);
      memory.copy(place, slot, this.slotBytes);
    }
  }

  clear(): void {
    this.used = 0;
    memory.fill(this.place, 0, this.lastOffset + this.slotBytes);
  }
}
