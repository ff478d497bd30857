"""Joins SQLite in WAL mode, as Python has it, to its specification. Each client has a connection, and each run an empty table.

    mayhap test specs/systems/sqlite_wal.may --sut 'stdio:python3 examples/systems/sqlite_wal/adapter.py'
"""
import os, sqlite3, sys, tempfile
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "adapters"))
from mayhap_adapter import Client, serve

directory = tempfile.TemporaryDirectory()
FILE = os.path.join(directory.name, "table.db")
ERRORS = {
    "database table is locked": "Locked", "database is locked": "Busy", "cannot start a transaction within": "InTransaction",
    "no transaction is active": "NoTransaction", "no such savepoint": "NoSavepoint",
}
STATEMENTS = {
    "Commit": "COMMIT", "Rollback": "ROLLBACK", "Savepoint": "SAVEPOINT s", "RollbackTo": "ROLLBACK TO s", "Release": "RELEASE s",
    "Checkpoint": "PRAGMA wal_checkpoint(PASSIVE)",
}


kept = []  # a connection that stays: whoever opens the file first recovers the log, and others are Busy meanwhile


def opened():
    database = sqlite3.connect(FILE, timeout=10, isolation_level=None, check_same_thread=False)
    database.execute("PRAGMA synchronous=OFF")
    database.execute("PRAGMA busy_timeout=0")
    return database


class Table(Client):
    def __init__(self):
        self.database = opened()

    def ask(self, request):
        try:
            if isinstance(request, str) and request in STATEMENTS:
                self.database.execute(STATEMENTS[request]).fetchall()
                return "Ok"
            return super().ask(request)
        except sqlite3.IntegrityError:
            return "Constraint"
        except sqlite3.OperationalError as error:
            return next(answer for words, answer in ERRORS.items() if words in str(error))

    def run(self, statement, *values):
        return self.database.execute(statement, values)

    def Begin(self, kind):
        self.run("BEGIN " + kind)
        return "Ok"

    def Get(self, key):
        rows = self.run("SELECT v FROM t WHERE k = ?", key).fetchall()
        return {"Value": rows[0][0] if rows else None}

    def GetAll(self):
        return {"Values": self.run("SELECT k, v FROM t").fetchall()}

    def Put(self, key, value):
        return {"Rows": self.run("INSERT OR REPLACE INTO t VALUES (?, ?)", key, value).rowcount}

    def Insert(self, key, value):
        return {"Rows": self.run("INSERT INTO t VALUES (?, ?)", key, value).rowcount}

    def Add(self, key, number):
        return {"Rows": self.run("UPDATE t SET v = v + ? WHERE k = ?", number, key).rowcount}

    def AddOrInsert(self, key, number):
        statement = "INSERT INTO t VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = v + excluded.v RETURNING v"
        return {"Value": self.run(statement, key, number).fetchall()[0][0]}

    def Delete(self, key):
        return {"Rows": self.run("DELETE FROM t WHERE k = ?", key).rowcount}

    def close(self):
        self.database.close()


def reset():
    while kept:
        kept.pop().close()
    for ending in ("", "-wal", "-shm"):
        if os.path.exists(FILE + ending):
            os.remove(FILE + ending)
    kept.append(opened())
    kept[0].execute("PRAGMA journal_mode=WAL")
    kept[0].execute("CREATE TABLE t (k TEXT PRIMARY KEY, v INTEGER)")


serve(Table, reset)
directory.cleanup()
