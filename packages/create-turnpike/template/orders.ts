/** Stands for your database. */
export const orders = new Map([
  ['7', { state: 'left the warehouse at nine', address: '9 Elm Street' }],
  ['8', { state: 'waits for its payment', address: '4 Park Road' }],
]);
