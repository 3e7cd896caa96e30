export const installSteps = [
  'download begun',
  'downloaded',
  'unpacked',
  'compressed',
  'recorded',
  'moved',
  'switched',
  'activated',
  'swept',
] as const;
export type InstallStep = (typeof installSteps)[number];
export type OnInstallStep = (step: InstallStep) => void;
