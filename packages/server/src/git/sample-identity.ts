/**
 * The author of commits in the sample repository, as options of git, so that the user's configuration (missing
 * name, commit signing) does not matter.
 */
export const sampleIdentity = [
  '-c',
  'user.name=Docyard',
  '-c',
  'user.email=docyard@localhost',
  '-c',
  'commit.gpgsign=false',
];
