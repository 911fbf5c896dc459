// The first bytes of real videos, as ffmpeg writes them: base64, just enough to tell the format.

/** Format, media type, first bytes. */
export const videoHeads: readonly (readonly [string, string, string])[] = [
  ['mp4', 'video/mp4', 'AAAAIGZ0eXBpc29tAAACAGlz'],
  ['mov', 'video/quicktime', 'AAAAFGZ0eXBxdCAgAAACAHF0ICAA'],
  ['m4v', 'video/x-m4v', 'AAAAIGZ0eXBNNFYgAAACAE00ViBp'],
  ['webm', 'video/webm', 'GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQJChYEC'],
  ['mkv', 'video/matroska', 'GkXfo6NChoEBQveBAULygQRC84EIQoKIbWF0cm9za2FCh4EEQoWBAhhT'],
  ['avi', 'video/vnd.avi', 'UklGRmw4AABBVkkgTElTVDgSAABo'],
  ['mpg', 'video/MP1S', 'AAABuiEAAQABwzNnAAAB'],
  [
    'ts',
    'video/mp2t',
    [
      'R0AREABC8CUAAcEAAP8B/wAB/IAUSBIBBkZGbXBlZwlTZXJ2aWNlMDF3fEPK////////////////////////////',
      '////////////////////////////////////////////////////////////////////////////////////////',
      '//////////////////////////////////////////////////////////////////////////9HQAAQAACwDQAB',
    ].join(''),
  ],
  [
    'wmv',
    'video/x-ms-asf',
    [
      'MCaydY5mzxGm2QCqAGLObFMCAAAAAAAABQAAAAECodyrjEepzxGO5ADADCBTZWgAAAAAAAAAAAAAAAAAAAAAAAAA',
      'AAAAAFsoAAAAAAAAAIA+1d6xnQEDAAAAAAAAAABRJQIAAAAAQEtMAAAAAAAcDAAAAAAAAAIAAACADAAAgAwAAEAN',
      'AwC1A79fLqnPEY7jAMAMIFNlnAAAAAAAAAAR0tOruqnPEY7mAMAMIFNlBgBuAAAA6sv4xa9bd0iEZ6qMRPpMym4A',
      'AAAAAAAAAgAAAAEAGgADAAQAAABBAHMAcABlAGMAdABSAGEAdABpAG8AWAAAAAEAAAAAAAEAGgADAAQAAABBAHMA',
      'cABlAGMAdABSAGEAdABpAG8AWQAAAAEAAABApNDSB+PSEZfwAKDJXqhQZAAAAAAAAAABACgAVwBNAC8ARQBuAGMA',
      'bwBkAGkAbgBnAFMAZQB0AHQAaQBuAGcAcwAAAAAAHABMAGEAdgBmADUAOQAuADIANwAuADEAMAAwAAAAkQfct7ep',
      'zxGO5gDADCBTZYEAAAAAAAAAwO8ZvE1bzxGo/QCAX1xEKwBX+yBVW88R',
    ].join(''),
  ],
  ['flv', 'video/x-flv', 'RkxWAQEAAAAJAAAA'],
  ['3gp', 'video/3gpp', 'AAAAHGZ0eXAzZ3A0AAACADNn'],
  ['ogv', 'video/ogg', ['T2dnUwACAAAAAAAAAADiHkIoAAAAAFgD5icBKoB0aGVvcmEDAgEACgAIAACg'].join('')],
];
