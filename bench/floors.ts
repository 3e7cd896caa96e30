/** The least that Docyard must reach. A figure below its floor is a regression. */
export const floors = {
  timesHugoAt1000Pages: 1.7,
  timesHugoAt10000Pages: 2.6,
  timesFastestJavaScriptGenerator: 15,
  realSitesPagesPerSecond: 90,
  maxPeakMegabytesAt1000Pages: 400,
  maxPeakMegabytesAt50000Pages: 700,
  maxReExportShare: 0.3,
  maxPackedKilobytesPerPage: 25,
  maxFilesPerPage: 2.5,
  maxSearchIndexShare: 0.2,
  timesFastifyStatus: 0.9,
  timesNginx: 0.4,
};
