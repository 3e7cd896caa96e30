/** Hosts that the operator configures, internal addresses and ranges of addresses. */
export { addressAllowed, complainAboutRange, subscriberOf } from './network/address-ranges.ts';
export { isInternalAddress, plainAddress } from './network/internal-addresses.ts';
export {
  addressesOfThisMachine,
  isThisMachine,
  disableMetadataService,
  OfflineError,
  peerFetch,
  refuseDistantPeer,
} from './network/peers.ts';
