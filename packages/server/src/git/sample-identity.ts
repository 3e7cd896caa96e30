/**
 * Whose commits those in the sample repository are, as options of git, so that a machine on which nobody has told git a
 * name, or which signs everything, makes no difference.
 */
export const sampleIdentity = [
  '-c',
  'user.name=Docyard',
  '-c',
  'user.email=docyard@localhost',
  '-c',
  'commit.gpgsign=false',
];
