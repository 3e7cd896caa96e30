/** What the repository of a site records about its files. Paths are relative to the folder of the site. */
export interface SourceFacts {
  /** The day of the last change (`2026-05-14`). Files without a known change are missing. */
  changedOn: ReadonlyMap<string, string>;
  /** URLs at the forge of the repository; undefined for an unknown forge or branch. */
  links?: ForgeLinks | undefined;
}

/** A path in the repository is appended to each address. */
export interface ForgeLinks {
  edit: string;
  newIssue?: string | undefined;
}
