/* sudo for the one user of Tests/Commands/world: runs the rest as root, or with -u as somebody, without a question. */
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
  const char *name = "root";
  if (count > 2 && strcmp(words[1], "-u") == 0) {
    name = words[2];
    words += 2;
    count -= 2;
  }
  struct passwd *user = getpwnam(name);
  if (count < 2 || user == NULL || setuid(0) != 0) return 1;
  if (initgroups(name, user->pw_gid) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0) return 1;
  setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
  setenv("HOME", user->pw_dir, 1);
  setenv("USER", name, 1);
  execvp(words[1], words + 1);
  perror(words[1]);
  return 127;
}
