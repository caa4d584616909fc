/** The log-in of `server.mjs`, which believes everybody: put that of your product here. */
export function LogIn() {
  return (
    <main className="alone">
      <form className="log-in" method="post" action="/log-in">
        <h1>Orders</h1>
        <label>
          Your name
          <input name="user" required autoFocus autoComplete="username" />
        </label>
        <button className="primary">Log in</button>
      </form>
    </main>
  );
}
